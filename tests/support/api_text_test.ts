import { assertEquals } from "@std/assert";
import { renderSymbols } from "./api_text.ts";
import { raw, type } from "./api_types.ts";
import { runDeno } from "./entries.ts";

const EXPECTED = `
interface Box<K extends keyof Shelf> extends Iterable<number>
  new (text: string): Shelf
  (text: string): K
  [key: string]: unknown
  a?(): this
  readonly b?: [string, number?, ...boolean[]]

enum Level
  low
  high = "HIGH"

type Mixed = 1 | -1 | 10n | "s" | true | null | readonly string[] | typeof limit | Box<"size">["b"]

type On<T> = { readonly [K in keyof T as \`on-\${K & string}\`]-?: T[K] extends (infer U)[] ? U : never }

type Outer = Inner["a"]

abstract class Shelf<T extends string = "x"> extends Map<string, T> implements Disposable
  constructor(readonly owner: string, options?: { a?: number })
  [Symbol.dispose](): void
  find(key: string): key is "a"
  find(key: number): boolean
  static readonly made: number
  "odd name": string
  protected size2?: number
  abstract sort<K>(by: (item: T, ...rest: K[]) => number): asserts this is Shelf<T>
  get width(): number
  set width(value: number)

function default(): void

const limit: unique symbol

function read({}: { path: string }, depth?: number): Promise<void>
`;

Deno.test("renderSymbols() writes every kind of export", async () => {
  const { nodes } = JSON.parse(await runDeno("doc", "--json", "tests/fixtures/api_sample.ts"));
  const [module] = Object.values(nodes) as { symbols: Parameters<typeof renderSymbols>[0] }[];
  assertEquals(renderSymbols(module!.symbols), EXPECTED.trimStart());
});

Deno.test("renderSymbols() writes what it does not know as JSON, without places", () => {
  const location = { filename: "file:///somewhere.ts", line: 1 };
  const symbol = { name: "x", declarations: [{ kind: "macro", def: { body: 1, location } }] };
  assertEquals(renderSymbols([symbol]), 'macro x {"body":1}\n');
  assertEquals(type({ kind: "fancy", value: [1] }), '{"kind":"fancy","value":[1]}');
  assertEquals(raw({ jsDoc: {}, a: 1 }), '{"a":1}');
});
