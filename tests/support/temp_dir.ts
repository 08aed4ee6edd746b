/** A folder of its own for one test. It is removed at the end of the block. */
export class TempDir implements Disposable {
  /** Its path. */
  readonly path: string = Deno.makeTempDirSync({ prefix: "leash-" });

  /** The path of something in it. */
  at(relative: string): string {
    return `${this.path}/${relative}`;
  }

  /**
   * Writes a file, and makes the folders above it.
   *
   * @param relative Where.
   * @param options `age`: how long ago it was written, in milliseconds. `size`: how many bytes.
   */
  file(relative: string, { age = 0, size = 1 }: { age?: number; size?: number } = {}): string {
    const path = this.at(relative);
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(path, new Uint8Array(size));
    const time = new Date(Date.now() - age);
    Deno.utimeSync(path, time, time);
    return path;
  }

  /** Everything below it, folders with a `/` at the end, sorted. */
  tree(relative = ""): string[] {
    const found: string[] = [];
    for (const { name, isDirectory } of Deno.readDirSync(this.at(relative))) {
      const path = relative + name;
      found.push(isDirectory ? `${path}/` : path);
      if (isDirectory) found.push(...this.tree(`${path}/`));
    }
    return found.sort();
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
