import type { DatabaseSync } from "node:sqlite";
import { suggest } from "./_input.ts";
import type { SqlitePlan } from "./_sqlite_input.ts";

/** The table of a sweep. All names are quoted. */
export interface Table {
  readonly name: string;
  /** The column that holds the instant. */
  readonly column: string;
  /** What identifies a row: `rowid`, or the primary key of a `WITHOUT ROWID` table. */
  readonly key: readonly string[];
  /** The bare name of an index that begins with the column. */
  readonly index: string | undefined;
}

/** Finds the table, and refuses what is none. Names come from the schema, never from the user. */
export function findTable(db: DatabaseSync, plan: SqlitePlan): Table {
  const tables = db.prepare("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'")
    .all() as { name: string; type: string; wr: number }[];
  const table = byName(tables, plan.table);
  if (table === undefined || table.name.startsWith("sqlite_")) {
    const names = tables.filter(({ name, type }) => type === "table" && !name.startsWith("sqlite_"))
      .map(({ name }) => name);
    const near = suggest(plan.table.slice(plan.table.lastIndexOf(".") + 1), names);
    throw new TypeError(
      `Cannot sweep ${plan.path}: there is no such table${near}; ` +
        `${describe("tables", names)}: received ${JSON.stringify(plan.table)}`,
    );
  }
  if (table.type !== "table") {
    const kind = table.type === "view" ? "view" : `${table.type} table`;
    throw new TypeError(
      `Cannot sweep ${plan.path}: only ordinary tables can be swept: received the ${kind} ` +
        JSON.stringify(plan.table),
    );
  }
  const columns = db.prepare("SELECT name, pk FROM pragma_table_xinfo(?)")
    .all(table.name) as { name: string; pk: number }[];
  const column = byName(columns, plan.column);
  if (column === undefined) {
    const names = columns.map(({ name }) => name);
    throw new TypeError(
      `Cannot sweep table ${JSON.stringify(table.name)} of ${plan.path}: there is no such column` +
        `${suggest(plan.column, names)}; ${describe("columns", names)}: ` +
        `received ${JSON.stringify(plan.column)}`,
    );
  }
  const key = table.wr === 1
    ? columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk).map(({ name }) => quote(name))
    : [rowid(columns, table.name, plan)];
  const index = db.prepare(
    "SELECT list.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info " +
      "WHERE list.partial = 0 AND info.seqno = 0 AND info.name = ?",
  ).get(table.name, column.name) as { name: string } | undefined;
  return { name: quote(table.name), column: quote(column.name), key, index: index?.name };
}

/** Quotes a name for SQL. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** SQLite does not tell upper from lower case in names, but one that fits exactly comes first. */
function byName<T extends { name: string }>(list: T[], name: string): T | undefined {
  return list.find((item) => item.name === name) ??
    list.find((item) => item.name.toLowerCase() === name.toLowerCase());
}

/** A column may bear one of the names of the row id, and then hides it. */
function rowid(columns: { name: string }[], table: string, plan: SqlitePlan): string {
  const name = ["rowid", "_rowid_", "oid"].find((name) => byName(columns, name) === undefined);
  if (name !== undefined) return name;
  throw new TypeError(
    `Cannot sweep table ${JSON.stringify(table)} of ${plan.path}: its columns hide all names of ` +
      `the row id: received columns rowid, _rowid_ and oid`,
  );
}

function describe(what: string, names: string[]): string {
  const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  return `the ${what} are ${listed || "none"}`;
}
