/** A test or step as its report names it. */
export function testPath(t: Deno.TestContext): string {
  return t.parent === undefined ? t.name : `${testPath(t.parent)} > ${t.name}`;
}
