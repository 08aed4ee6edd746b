/**
 * Writes types the way a reader of TypeScript expects, from what `deno doc --json` says of them.
 *
 * @module
 */

/** A type in the output of `deno doc`: `value` depends on `kind`. */
export interface TsType {
  kind: string;
  repr?: string;
  value?: unknown;
}

/** A parameter of a function. */
export interface Param {
  kind: string;
  name?: string;
  optional?: boolean;
  tsType?: TsType;
  /** Of a constructor's parameter that is a field as well. */
  accessibility?: string;
  readonly?: boolean;
  /** Of `rest`: the parameter itself. */
  arg?: Param;
  /** Of `assign`: the parameter that has a default. */
  left?: Param;
}

/** A type parameter. */
export interface TypeParam {
  name: string;
  constraint?: TsType;
  default?: TsType;
}

/** What functions, methods and signatures share. Signatures name their return type `tsType`. */
export interface Callable {
  params?: Param[];
  returnType?: TsType;
  tsType?: TsType;
  typeParams?: TypeParam[];
}

/** A field of an interface, an object type or a class. */
export interface Property {
  name: string;
  optional?: boolean;
  readonly?: boolean;
  tsType?: TsType;
}

/** A method of an interface or an object type, or an accessor. */
export interface Method extends Callable {
  name: string;
  kind: string;
  optional?: boolean;
}

/** The members of an interface or an object type. */
export interface Members {
  constructors?: Callable[];
  callSignatures?: Callable[];
  indexSignatures?: (Callable & { readonly?: boolean })[];
  methods?: Method[];
  properties?: Property[];
}

/** The writers of the kinds that are no plain word. A kind that is missing is printed as JSON. */
const WRITERS: Record<string, (value: never) => string> = {
  array: (item: TsType) => `${type(item)}[]`,
  conditional: (c: Record<"checkType" | "extendsType" | "trueType" | "falseType", TsType>) =>
    `${type(c.checkType)} extends ${type(c.extendsType)} ` +
    `? ${type(c.trueType)} : ${type(c.falseType)}`,
  fnOrConstructor: (fn: Callable & { constructor: boolean; tsType: TsType }) =>
    `${fn.constructor ? "new " : ""}${typeParams(fn.typeParams)}${params(fn.params)} => ` +
    type(fn.tsType),
  importType: (imported: { specifier: string; qualifier?: string; typeParams?: TsType[] }) =>
    `import(${JSON.stringify(imported.specifier)})` +
    (imported.qualifier ? `.${imported.qualifier}` : "") + typeArgs(imported.typeParams),
  indexedAccess: (access: { objType: TsType; indexType: TsType }) =>
    `${type(access.objType)}[${type(access.indexType)}]`,
  infer: (inferred: { typeParam: TypeParam }) => `infer ${typeParam(inferred.typeParam)}`,
  intersection: (parts: TsType[]) => parts.map(type).join(" & "),
  keyword: (word: string) => word,
  literal,
  mapped,
  optional: (inner: TsType) => `${type(inner)}?`,
  parenthesized: (inner: TsType) => `(${type(inner)})`,
  rest: (inner: TsType) => `...${type(inner)}`,
  this: () => "this",
  tuple: (items: TsType[]) => `[${items.map(type).join(", ")}]`,
  typeLiteral: (members: Members) => {
    const lines = memberLines(members);
    return lines.length === 0 ? "{}" : `{ ${lines.join("; ")} }`;
  },
  typeOperator: (of: { operator: string; tsType: TsType }) => `${of.operator} ${type(of.tsType)}`,
  typePredicate: (
    of: { asserts?: boolean; param: { type: string; name?: string }; type?: TsType },
  ) =>
    `${of.asserts ? "asserts " : ""}${of.param.name ?? of.param.type}` +
    (of.type ? ` is ${type(of.type)}` : ""),
  // Of `typeof import("./x.ts")` only the path is told.
  typeQuery: (name: string) =>
    `typeof ${/[/:]/.test(name) ? `import(${JSON.stringify(name)})` : name}`,
  typeRef: (ref: { typeName: string; typeParams?: TsType[] }) =>
    ref.typeName + typeArgs(ref.typeParams),
  union: (parts: TsType[]) => parts.map(type).join(" | "),
};

/** Writes a type. */
export function type(node: TsType): string {
  const write = WRITERS[node.kind];
  return write ? write(node.value as never) : raw(node);
}

/** Anything that these tools do not know: better an ugly line than a missing one. */
export function raw(node: unknown): string {
  return JSON.stringify(
    node,
    (key, value) => key === "location" || key === "jsDoc" ? undefined : value,
  );
}

/** Writes `: type`, or nothing where the source names no type. */
export function typeOf(node: TsType | undefined): string {
  return node ? `: ${type(node)}` : "";
}

/** Writes `<A extends B = C>`, or nothing. */
export function typeParams(nodes: TypeParam[] = []): string {
  return nodes.length > 0 ? `<${nodes.map(typeParam).join(", ")}>` : "";
}

/** Writes `<A, B>`, or nothing. */
export function typeArgs(nodes: TsType[] = []): string {
  return nodes.length > 0 ? `<${nodes.map(type).join(", ")}>` : "";
}

/** Writes the parameters of a function, in parentheses. */
export function params(nodes: Param[] = []): string {
  return `(${nodes.map((node) => param(node)).join(", ")})`;
}

/** Writes a function from its type parameters on. */
export function signature(node: Callable): string {
  return typeParams(node.typeParams) + params(node.params) + typeOf(node.returnType ?? node.tsType);
}

/** Writes the members of an interface or an object type: signatures first, then by name. */
export function memberLines(members: Members): string[] {
  const named = [
    ...(members.properties ?? []).map((one) => ({ name: one.name, line: property(one) })),
    ...(members.methods ?? []).map((one) => ({ name: one.name, line: method(one) })),
  ];
  return [
    ...(members.constructors ?? []).map((one) => `new ${signature(one)}`),
    ...(members.callSignatures ?? []).map(signature),
    ...(members.indexSignatures ?? []).map(indexSignature),
    ...sortByName(named).map(({ line }) => line),
  ];
}

/** Writes a field. */
export function property(node: Property): string {
  const readonly = node.readonly ? "readonly " : "";
  return `${readonly}${memberName(node.name)}${node.optional ? "?" : ""}${typeOf(node.tsType)}`;
}

/** Writes a method, a getter or a setter. */
export function method(node: Method): string {
  if (node.kind === "setter") return `set ${memberName(node.name)}${params(node.params)}`;
  const accessor = node.kind === "getter" ? "get " : "";
  return `${accessor}${memberName(node.name)}${node.optional ? "?" : ""}${signature(node)}`;
}

/** Writes `[key: K]: V`. */
export function indexSignature(node: Callable & { readonly?: boolean }): string {
  const keys = (node.params ?? []).map((one) => param(one)).join(", ");
  return `${node.readonly ? "readonly " : ""}[${keys}]${typeOf(node.tsType)}`;
}

/** Sorts by name; overloads keep their order, which has a meaning. */
export function sortByName<T extends { name: string }>(nodes: readonly T[]): T[] {
  return nodes.toSorted((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

function memberName(name: string): string {
  return /^(\[.*\]|[\p{ID_Start}$_][\p{ID_Continue}$]*)$/u.test(name) ? name : JSON.stringify(name);
}

function typeParam(node: TypeParam): string {
  return node.name + (node.constraint ? ` extends ${type(node.constraint)}` : "") +
    (node.default ? ` = ${type(node.default)}` : "");
}

/** @param optional The parameter has a default, of which `deno doc` does not tell the value. */
function param(node: Param, optional = node.optional): string {
  const mark = optional ? "?" : "";
  switch (node.kind) {
    case "identifier":
      return (node.accessibility ? `${node.accessibility} ` : "") +
        `${node.readonly ? "readonly " : ""}${node.name}${mark}${typeOf(node.tsType)}`;
    case "rest":
      return `...${param(node.arg!)}${typeOf(node.tsType)}`;
    case "assign":
      return param({ ...node.left!, tsType: node.left!.tsType ?? node.tsType }, true);
    // Which fields a function picks is its own affair; the type says what it takes.
    case "object":
      return `{}${mark}${typeOf(node.tsType)}`;
    case "array":
      return `[]${mark}${typeOf(node.tsType)}`;
    default:
      return raw(node);
  }
}

function literal(node: Record<string, unknown> & { kind: string; tsTypes?: TsType[] }): string {
  switch (node.kind) {
    case "string":
      return JSON.stringify(node.string);
    case "number":
    case "boolean":
      return String(node[node.kind]);
    case "bigInt":
      return `${node.string}n`;
    case "template":
      return `\`${(node.tsTypes ?? []).map(templatePart).join("")}\``;
    default:
      return raw(node);
  }
}

/** Text and types alternate in a template; text comes as a string literal. */
function templatePart(node: TsType): string {
  const text = node.kind === "literal" ? (node.value as { string?: string }).string : undefined;
  return text ?? `\${${type(node)}}`;
}

function mapped(node: {
  readonly?: boolean | string;
  optional?: boolean | string;
  typeParam: TypeParam;
  nameType?: TsType;
  tsType?: TsType;
}): string {
  const sign = (flag: boolean | string | undefined, word: string) =>
    !flag ? "" : flag === true ? word : `${flag}${word}`;
  const readonly = sign(node.readonly, "readonly ");
  const { name, constraint } = node.typeParam;
  const keys = `${name} in ${constraint ? type(constraint) : "?"}` +
    (node.nameType ? ` as ${type(node.nameType)}` : "");
  return `{ ${readonly}[${keys}]${sign(node.optional, "?")}${typeOf(node.tsType)} }`;
}
