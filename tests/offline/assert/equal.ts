/**
 * Deep equality with the rules of `@std/assert`, which are not those of `node:assert`: `0` equals
 * `-0`, an object without a prototype equals a plain one, and instances of classes are also
 * compared by what their getters return.
 */
export function equal(left: unknown, right: unknown): boolean {
  return compare(left, right, new Map());
}

/** Built-in classes that keep their value where no field shows it, but whose text tells it all. */
const TEXTUAL: ReadonlySet<unknown> = new Set([
  RegExp,
  URL,
  URLSearchParams,
  Intl.Locale,
  Temporal.Duration,
  Temporal.Instant,
  Temporal.PlainDate,
  Temporal.PlainDateTime,
  Temporal.PlainTime,
  Temporal.PlainYearMonth,
  Temporal.PlainMonthDay,
  Temporal.ZonedDateTime,
].map((builtIn) => builtIn.prototype));

/** @param pairs Pairs that are being compared further up: a cycle is equal as far as one can see. */
function compare(left: unknown, right: unknown, pairs: Map<object, object>): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) return false;
  const prototype = prototypeOf(left);
  if (prototype !== prototypeOf(right)) return false;

  if (left instanceof Date) return Object.is(left.getTime(), (right as Date).getTime());
  if (TEXTUAL.has(prototype)) return String(left) === String(right);
  if (left instanceof WeakRef) {
    return compare(left.deref(), (right as WeakRef<object>).deref(), pairs);
  }
  if (left instanceof WeakMap || left instanceof WeakSet) {
    throw new TypeError("Cannot compare a WeakMap or WeakSet: nobody can list its items");
  }
  if (left instanceof ArrayBuffer || left instanceof SharedArrayBuffer) {
    return sameBytes(new Uint8Array(left), new Uint8Array(right as ArrayBuffer));
  }
  if (ArrayBuffer.isView(left) && !(left instanceof DataView)) {
    return sameBytes(left as Uint8Array, right as Uint8Array);
  }

  if (pairs.get(left) === right) return true;
  pairs.set(left, right);
  if (left instanceof Set) return sameItems(left, right as Set<unknown>, pairs);
  if (left instanceof Map) return sameEntries(left, right as Map<unknown, unknown>, pairs);
  if (Object.keys(left).length !== Object.keys(right).length) return false;
  return [...keysOf(left, prototype), ...keysOf(right, prototype)].every((key) =>
    key in left && key in right &&
    compare(Reflect.get(left, key), Reflect.get(right, key), pairs)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) ?? Object.prototype;
}

/** Plain objects and arrays: enumerable fields. Instances: hidden fields and inherited getters too. */
function keysOf(value: object, prototype: object): PropertyKey[] {
  if (prototype === Object.prototype || prototype === Array.prototype) {
    return Reflect.ownKeys({ ...value });
  }
  const keys = Reflect.ownKeys(value);
  for (let at = prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    keys.push(...Reflect.ownKeys(at));
  }
  return keys;
}

function sameBytes(left: ArrayLike<unknown>, right: ArrayLike<unknown>): boolean {
  return left.length === right.length &&
    Array.prototype.every.call(
      left,
      (item, index) => item === right[index] || Object.is(item, right[index]),
    );
}

function sameItems(
  left: Set<unknown>,
  right: Set<unknown>,
  pairs: Map<object, object>,
): boolean {
  if (left.size !== right.size) return false;
  const others = [...right];
  return [...left].every((item) =>
    right.has(item) || others.some((other) => compare(item, other, pairs))
  );
}

function sameEntries(
  left: Map<unknown, unknown>,
  right: Map<unknown, unknown>,
  pairs: Map<object, object>,
): boolean {
  if (left.size !== right.size) return false;
  const others = [...right];
  return [...left].every(([key, value]) =>
    right.has(key)
      ? compare(value, right.get(key), pairs)
      : others.some(([otherKey, other]) =>
        compare(key, otherKey, pairs) && compare(value, other, pairs)
      )
  );
}
