import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { decodeThrown } from "../../src/protocol/error_codec.ts";
import { deathOf, RuntimePeer } from "./_runtime_peer.ts";

/** A task whose input is the code to run. */
const EVAL = "export default (code, ctx) => new Function('ctx', `return (${code})()`)(ctx)";

Deno.test("the runtime says hello, then that it is ready, then answers runs in turn", async () => {
  await using peer = new RuntimePeer("export default (input, ctx) => [input, ctx.task.name]");
  await peer.ready();
  for (const sequence of [1, 2, 3]) {
    peer.run(sequence, { number: sequence });
    assertEquals(await peer.result(sequence), [{ number: sequence }, "sweep"]);
  }
  assertEquals(peer.messages, []);
});

Deno.test("the runtime says why a module is no task module", async () => {
  const cases: [code: string, reason: string][] = [
    ["export const run = 1, other = 2", "no default export (it exports other, run)"],
    ["", "no default export (it exports nothing)"],
    ["export default null", "a default export of type null"],
    ["export default 'text'", "a default export of type string"],
    ["export default {}", "a default export of type object"],
  ];
  for (const [code, reason] of cases) {
    await using peer = new RuntimePeer(code);
    await peer.expect("leash:hello");
    const message = await peer.expect("leash:load-failed");
    assertStringIncludes(message.reason, reason);
    assertEquals(message.error, undefined);
  }
});

Deno.test("the runtime hands over the error with which a module cannot be loaded", async () => {
  const cases: [code: string, part: string][] = [
    ["throw new RangeError('at the top')", "at the top"],
    ["this is no code", "SyntaxError"],
    ["import 'data:text/javascript,throw new Error(`deep`)'; export default () => 1", "deep"],
    ["throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })", ""],
    ["throw null", "null"],
    ["await Promise.reject('text')", "text"],
  ];
  for (const [code, part] of cases) {
    await using peer = new RuntimePeer(code);
    await peer.expect("leash:hello");
    const { reason, error } = await peer.expect("leash:load-failed");
    assertStringIncludes(`${reason} ${Deno.inspect(decodeThrown(error!))}`, part);
  }
});

Deno.test("the runtime answers a run whatever it throws", async () => {
  await using peer = new RuntimePeer(EVAL);
  await peer.ready();
  const codes = [
    "() => { throw new TypeError('plain') }",
    "async () => { await 0; throw new TypeError('later') }",
    "() => { throw Object.defineProperty(new TypeError(''), 'message', { get() { throw 1 } }) }",
    "() => { throw new Proxy(new Error('m'), { get() { throw 1 }, getPrototypeOf() { throw 2 } }) }",
    "() => { throw null }",
    "() => { throw undefined }",
    "() => { throw () => {} }",
    "() => { const e = new AggregateError([]); e.errors.push(e, e, e, e); throw e }",
  ];
  for (const [index, code] of codes.entries()) {
    peer.run(index + 1, code);
    const error = await peer.failed(index + 1);
    if (index < 3) assertInstanceOf(error, TypeError);
  }
});

Deno.test("the runtime says that a result cannot be cloned, and why", async () => {
  await using peer = new RuntimePeer(EVAL);
  await peer.ready();
  const codes = [
    "() => () => {}",
    "() => ({ deep: [Symbol('s')] })",
    "() => Promise.resolve(Promise)",
  ];
  for (const [index, code] of codes.entries()) {
    peer.run(index + 1, code);
    const error = await peer.failed(index + 1);
    assertInstanceOf(error, TypeError);
    assertStringIncludes(error.message, `the result of task "sweep"`);
    assertEquals((error.cause as Error).name, "DataCloneError");
  }
  peer.run(9, "() => 'still there'");
  assertEquals(await peer.result(9), "still there");
});

Deno.test("the runtime sends the last progress before the answer, however the run ends", async () => {
  await using peer = new RuntimePeer(EVAL);
  await peer.ready();
  const report = "for (let i = 1; i <= 9; i++) ctx.progress(i, 9);";
  for (const [sequence, end] of [[1, ""], [2, "throw 'x'"]] as const) {
    peer.run(sequence, `() => { ${report} ${end} }`);
    assertEquals((await peer.expect("leash:progress")).done, 1);
    // More may come between in a slow loop.
    let last = await peer.expect("leash:progress");
    while (last.done < 9) last = await peer.expect("leash:progress");
    await peer.expect(sequence === 1 ? "leash:results" : "leash:failed");
  }
  peer.run(3, "() => ctx.progress(Symbol('s'))");
  assertInstanceOf(await peer.failed(3), TypeError);
});

const WAIT = "() => new Promise((_, reject) => " +
  "ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))";

Deno.test("the runtime aborts the run that is meant, with the reason, and no other", async () => {
  await using peer = new RuntimePeer(EVAL);
  await peer.ready();
  peer.run(1, WAIT);
  peer.run(2, WAIT);
  peer.abort(7, "a run that is not there");
  peer.abort(2, new DOMException("second", "TimeoutError"));
  const error = await peer.failed(2);
  assertEquals([error.name, error.message], ["TimeoutError", "second"]);
  peer.abort(2, "again, when it is over");
  peer.abort(1, new RangeError("first"));
  assertInstanceOf(await peer.failed(1), RangeError);
});

Deno.test("the runtime stops at once when idle, else after its last run", async () => {
  await using idle = await new RuntimePeer(EVAL).ready();
  idle.stop("done");
  await idle.expect("leash:stopping");
  await idle.expect("leash:stopped");

  await using busy = await new RuntimePeer(EVAL).ready();
  busy.run(1, WAIT);
  busy.run(2, "() => new Promise((resolve) => addEventListener('message', () => resolve(5)))");
  busy.stop(new RangeError("closing"));
  await busy.expect("leash:stopping");
  // The message of the stop itself ends the second run.
  const ends = [await busy.next(), await busy.next()];
  assertEquals(ends.map(({ type }) => type).toSorted(), ["leash:failed", "leash:results"]);
  await busy.expect("leash:stopped");
  assertEquals(busy.messages, []);
});

Deno.test("the runtime reports what no code catches, and lives on", async () => {
  await using peer = new RuntimePeer(EVAL);
  await peer.ready();
  const hostile = "Object.defineProperty(new Error('m'), 'stack', { get() { throw 1 } })";
  const cases: [code: string, part: string][] = [
    ["() => { setTimeout(() => { throw new RangeError('in a timer') }) }", "in a timer"],
    ["() => { Promise.reject(new RangeError('in a promise')) }", "in a promise"],
    ["() => { setTimeout(() => { throw 'text' }) }", "text"],
    ["() => { Promise.reject(undefined) }", "undefined"],
    ["() => { queueMicrotask(() => { throw new Error('in a microtask') }) }", "in a microtask"],
    [`() => { Promise.reject(${hostile}) }`, "m"],
  ];
  for (const [index, [code, part]] of cases.entries()) {
    peer.run(index + 1, code);
    const messages = [await peer.next(), await peer.next()];
    const uncaught = messages.find((message) => message.type === "leash:uncaught");
    assert(
      uncaught?.type === "leash:uncaught" && messages.some(({ type }) => type === "leash:results"),
    );
    assertStringIncludes(Deno.inspect(decodeThrown(uncaught.error)), part);
  }
});

Deno.test("the runtime says so before the task ends its own worker", async () => {
  const ways: [code: string, how: string][] = [
    ["() => Deno.exit(3)", "Deno.exit(3)"],
    ["() => Deno.exit()", "Deno.exit()"],
    ["() => self.close()", "self.close()"],
  ];
  for (const [code, how] of ways) {
    await using peer = await new RuntimePeer(EVAL).ready();
    peer.run(1, code);
    assertStringIncludes((await peer.expect("leash:exiting")).how, how);
    await deathOf(peer.lock);
  }
});

Deno.test("the runtime ignores messages that are not its own", async () => {
  await using peer = await new RuntimePeer(EVAL).ready();
  const foreign = [null, "leash:stop", 5, {}, { type: "stop" }, { type: "leash:unknown" }, [
    "leash:stop",
  ]];
  for (const message of foreign) peer.postForeign(message);
  peer.run(1, "() => 'fine'");
  assertEquals(await peer.result(1), "fine");
});

Deno.test("the runtime keeps its channel when the task replaces postMessage", async () => {
  await using peer = await new RuntimePeer(EVAL).ready();
  peer.run(1, "() => { self.postMessage = () => {}; return 'heard' }");
  assertEquals(await peer.result(1), "heard");
});
