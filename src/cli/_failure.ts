/** Something that can happen and did: its message is all that there is to say. */
export class Failure extends Error {
  override readonly name = "Failure";
}
