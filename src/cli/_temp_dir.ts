/**
 * A folder that is gone when it is disposed, or when the process ends before.
 */
export class TempDir implements AsyncDisposable {
  readonly path: string = Deno.makeTempDirSync({ prefix: "leash-demo-" });
  readonly #removeNow = (): void => {
    // A worker may be writing into it still: what it adds meanwhile makes the removal fail.
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        return Deno.removeSync(this.path, { recursive: true });
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return;
      }
    }
  };

  constructor() {
    addEventListener("unload", this.#removeNow);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
    removeEventListener("unload", this.#removeNow);
  }
}
