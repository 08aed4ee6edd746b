import type { DatabaseSync } from "node:sqlite";
import type { SqlitePlan } from "./_sqlite_input.ts";
import type { Table } from "./_sqlite_table.ts";

/** A condition, and the values of its named parameters. */
export interface Expiry {
  readonly sql: string;
  readonly values: Record<string, number | string>;
}

const IS_DATE = "GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'";
const DAY = 86_400_000;

/**
 * The condition that a row has expired. It names the type of the value: SQLite holds that any text
 * is greater than any number, and compares a number with a column of text as if both were text.
 */
export function expiryCondition(plan: SqlitePlan, column: string): Expiry {
  if (plan.unit !== "iso") {
    return {
      sql: `typeof(${column}) IN ('integer', 'real') AND ${column} <= $cutoff`,
      values: { $cutoff: plan.unit === "seconds" ? plan.cutoff / 1000 : plan.cutoff },
    };
  }
  // The comparison as text lets an index narrow the rows down; a zone shifts the day by one at most.
  return {
    sql: `typeof(${column}) = 'text' AND ${column} < $day AND ${column} ${IS_DATE} ` +
      `AND unixepoch(${column}, 'subsec') <= $cutoff`,
    values: {
      $cutoff: plan.cutoff / 1000,
      $day: new Date(plan.cutoff + 2 * DAY).toISOString().slice(0, 10),
    },
  };
}

interface Sample {
  readonly value: unknown;
  readonly type: "integer" | "real" | "text" | "blob" | "null";
  readonly isDate: number | null;
}

/**
 * Looks at the first and the last 500 rows. A unit that is wrong would delete nothing, or, if
 * seconds are taken for milliseconds, everything.
 *
 * @returns How many rows of the sample hold something else than `plan.unit` says.
 * @throws {TypeError} When most of them do.
 */
export function checkUnit(
  db: DatabaseSync,
  plan: SqlitePlan,
  { name, column, key }: Table,
): number {
  const columns = key.map((part, index) => `${part} AS k${index}`).join(", ");
  // With the key in it UNION drops only the rows that both ends hold.
  const ends = ["ASC", "DESC"].map((order) =>
    `SELECT * FROM (SELECT ${columns}, ${column} AS c FROM ${name} ORDER BY ` +
    `${key.map((part) => `${part} ${order}`).join(", ")} LIMIT 500)`
  );
  const select = db.prepare(
    `SELECT c AS value, typeof(c) AS type, ` +
      `c ${IS_DATE} AND unixepoch(c, 'subsec') IS NOT NULL AS isDate ` +
      `FROM (${ends.join(" UNION ")}) WHERE c IS NOT NULL`,
  );
  select.setReadBigInts(true);
  let fits = 0;
  const misfits: Sample[] = [];
  for (const sample of select.all() as unknown as Sample[]) {
    const verdict = judge(sample, plan.unit);
    if (verdict === true) fits++;
    if (verdict === false) misfits.push(sample);
  }
  const example = misfits[0];
  if (example !== undefined && misfits.length > fits) {
    throw new TypeError(
      `Cannot sweep table ${name} of ${plan.path}: unit is ${
        JSON.stringify(plan.unit)
      }, but column ` +
        `${column} seems to hold ${guess(example)}: received ${Deno.inspect(example.value)}`,
    );
  }
  return misfits.length;
}

/** Whether a value is what the unit says; `undefined` for 0 and less, which fit any number. */
function judge({ value, type, isDate }: Sample, unit: SqlitePlan["unit"]): boolean | undefined {
  if (unit === "iso") return type === "text" && Number(isDate) === 1;
  if (type !== "integer" && type !== "real") return false;
  if (Number(value) <= 0) return undefined;
  return numberUnit(Number(value)) === unit;
}

function guess({ value, type, isDate }: Sample): string {
  if (type === "text") return Number(isDate) === 1 ? "dates as text" : "text that is no date";
  return type === "blob" ? "binary data" : numberUnit(Number(value));
}

/** What a number of our days counts: the ranges hold the years from 1978 to 9999. */
function numberUnit(value: number): string {
  if (value >= 1e18) return "nanoseconds";
  if (value >= 1e15) return "microseconds";
  if (value >= 2.6e11) return "milliseconds";
  if (value >= 1e8) return "seconds";
  return "numbers that are neither milliseconds nor seconds since the epoch";
}
