/** What the calls do, in turn: a retry helps the first time, and the second time it does not. */
const SERVICE = ["ok", "ok", "fails", "ok", "ok", "fails", "fails", "fails"];

let calls = 0;

/** Calls a service that is down now and then. */
export default function flaky(): string {
  if (SERVICE[calls++ % SERVICE.length] === "ok") return "200 OK";
  throw new TypeError("the service answered 503");
}
