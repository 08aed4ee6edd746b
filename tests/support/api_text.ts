/**
 * Writes the public API as text: every name that an entry point exports, with its signature. The
 * text is kept in tests/api.txt, so that a change of the API shows in the diff of a commit.
 *
 * @module
 */

import {
  type Callable,
  indexSignature,
  memberLines,
  type Members,
  method,
  type Param,
  params,
  type Property,
  property,
  raw,
  signature,
  sortByName,
  type TsType,
  type,
  typeArgs,
  typeOf,
  type TypeParam,
  typeParams,
} from "./api_types.ts";
import { type Entry, OFFLINE, readConfig, readEntries, runDeno } from "./entries.ts";

/** The file that holds the text. */
export const SNAPSHOT = new URL("../api.txt", import.meta.url);

/** The format of `deno doc --json` that these tools read. */
const FORMAT = 2;

/** An exported name. Overloads and merged declarations come as several. */
export interface ApiSymbol {
  name: string;
  declarations: Declaration[];
}

interface Declaration {
  kind: string;
  declarationKind?: string;
  def?: unknown;
}

interface ClassDef {
  isAbstract?: boolean;
  typeParams?: TypeParam[];
  extends?: string;
  superTypeParams?: TsType[];
  implements?: TsType[];
  constructors?: { params?: Param[]; accessibility?: string; hasBody?: boolean }[];
  properties?: (Property & ClassMember)[];
  methods?: (ClassMember & { name: string; kind: string; functionDef: Callable })[];
  indexSignatures?: (Callable & { readonly?: boolean })[];
}

interface ClassMember {
  accessibility?: string;
  isAbstract?: boolean;
  isStatic?: boolean;
  optional?: boolean;
}

/** Reads the API of all entry points whose files exist. */
export async function readApi(): Promise<string> {
  const [{ name }, { present }] = await Promise.all([readConfig(), readEntries()]);
  const sections = await Promise.all(present.map((entry) => readEntry(name, entry)));
  return sections.join("\n");
}

async function readEntry(packageName: string, { name, file }: Entry): Promise<string> {
  // One call for each: given several files, `deno doc` prints references instead of what they
  // refer to.
  const { version, nodes } = JSON.parse(await runDeno("doc", "--json", OFFLINE, file));
  if (version !== FORMAT) {
    throw new Error(
      `Cannot read the API: expected format ${FORMAT} of deno doc --json: received ${version}`,
    );
  }
  const modules = Object.values(nodes) as { symbols?: ApiSymbol[] }[];
  const text = renderSymbols(modules.flatMap((module) => module.symbols ?? []));
  return `# ${packageName}${name.slice(1)}\n\n${text || "(exports nothing)\n"}`;
}

/** Writes exported names, sorted, with a blank line after each. */
export function renderSymbols(symbols: readonly ApiSymbol[]): string {
  return sortByName(symbols).flatMap(({ name, declarations }) => {
    const exported = declarations.filter((one) => one.declarationKind !== "private");
    const lines = callable(exported).flatMap((one) => renderDeclaration(name, one));
    return lines.length > 0 ? [`${lines.join("\n")}\n\n`] : [];
  }).join("").replace(/\n\n$/, "\n");
}

/** Of overloads, callers see all but the last declaration, which is the implementation. */
function callable<T extends { kind: string; def?: unknown }>(declarations: readonly T[]): T[] {
  const overloaded = declarations.filter(({ kind }) => kind === "function").length > 1;
  return declarations.filter(({ kind, def }) =>
    !(overloaded && kind === "function" && (def as { hasBody?: boolean }).hasBody)
  );
}

function renderDeclaration(name: string, { kind, def }: Declaration): string[] {
  switch (kind) {
    case "function":
      return [`function ${name}${signature(def as Callable)}`];
    case "variable": {
      const { kind: keyword, tsType } = def as { kind: string; tsType?: TsType };
      return [`${keyword} ${name}${typeOf(tsType)}`];
    }
    case "typeAlias": {
      const alias = def as { tsType: TsType; typeParams?: TypeParam[] };
      return [`type ${name}${typeParams(alias.typeParams)} = ${type(alias.tsType)}`];
    }
    case "interface": {
      const { typeParams: types, extends: bases, ...members } = def as Members & {
        typeParams?: TypeParam[];
        extends?: TsType[];
      };
      const head = `interface ${name}${typeParams(types)}${list(" extends ", bases)}`;
      return [head, ...indent(memberLines(members))];
    }
    case "class":
      return renderClass(name, def as ClassDef);
    case "enum": {
      const { members } = def as { members: { name: string; init?: TsType }[] };
      const values = members.map(({ name, init }) => init ? `${name} = ${type(init)}` : name);
      return [`enum ${name}`, ...indent(values)];
    }
    case "namespace": {
      const { elements } = def as { elements: ApiSymbol[] };
      const inner = renderSymbols(elements).split("\n").filter((line) => line !== "");
      return [`namespace ${name}`, ...indent(inner)];
    }
    // A name from another file, of which nothing but its place is told: no text for a snapshot.
    case "reference":
      return [`export ${name}`];
    default:
      return [`${kind} ${name} ${raw(def)}`];
  }
}

function renderClass(name: string, def: ClassDef): string[] {
  const base = def.extends ? ` extends ${def.extends}${typeArgs(def.superTypeParams)}` : "";
  const head = `${def.isAbstract ? "abstract " : ""}class ${name}${typeParams(def.typeParams)}` +
    base + list(" implements ", def.implements);

  const constructors = withoutImplementation(def.constructors ?? []).map((one) =>
    // Nobody can call a private one, but that it is private says a lot.
    one.accessibility === "private"
      ? "private constructor"
      : `${modifiers(one)}constructor${params(one.params)}`
  );
  const methods = [...Map.groupBy(def.methods ?? [], methodKey).values()].flatMap((overloads) =>
    withoutImplementation(overloads.map((one) => ({ ...one, ...one.functionDef })))
  );
  const members = [
    ...(def.properties ?? []).map((one) => ({ ...one, line: modifiers(one) + property(one) })),
    ...methods.map((one) => ({ ...one, line: modifiers(one) + method(one) })),
  ].filter(({ accessibility }) => accessibility !== "private");
  const indexes = (def.indexSignatures ?? []).map(indexSignature);
  const lines = sortByName(members).map(({ line }) => line);
  return [head, ...indent([...constructors, ...indexes, ...lines])];
}

/** Methods with the same key are overloads of each other. */
function methodKey(node: ClassMember & { name: string; kind: string }): string {
  return `${node.isStatic ? "static " : ""}${node.kind} ${node.name}`;
}

function withoutImplementation<T extends object>(overloads: readonly T[]): T[] {
  if (overloads.length < 2) return [...overloads];
  return overloads.filter((one) => !(one as { hasBody?: boolean }).hasBody);
}

function modifiers(node: ClassMember): string {
  return (node.accessibility === "protected" ? "protected " : "") +
    (node.isStatic ? "static " : "") + (node.isAbstract ? "abstract " : "");
}

function list(prefix: string, types: readonly TsType[] = []): string {
  return types.length > 0 ? prefix + types.map(type).join(", ") : "";
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
