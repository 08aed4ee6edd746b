import { assertEquals, assertThrows } from "@std/assert";
import { CONTROL, frameHeader, FrameReader, MESSAGE } from "../../src/protocol/frames.ts";

/** The bytes of a frame. */
function frame(kind: number, payload: number[]): Uint8Array {
  return new Uint8Array([...frameHeader(kind, payload.length), ...payload]);
}

const FRAMES: [kind: number, payload: number[]][] = [
  [MESSAGE, [1, 2, 3]],
  [CONTROL, []],
  [MESSAGE, [4]],
  [CONTROL, Array.from({ length: 300 }, (_, index) => index % 256)],
];

Deno.test("frames are read however the stream is cut", () => {
  const bytes = new Uint8Array(FRAMES.flatMap(([kind, payload]) => [...frame(kind, payload)]));
  for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
    const read: [number, number[]][] = [];
    const reader = new FrameReader((kind, payload) => read.push([kind, [...payload]]));
    for (let start = 0; start < bytes.length; start += size) {
      reader.push(bytes.subarray(start, start + size));
    }
    assertEquals(read, FRAMES, `in pieces of ${size}`);
  }
});

Deno.test("a payload is a copy: what the stream does with its bytes later does no harm", () => {
  const read: Uint8Array[] = [];
  const bytes = frame(MESSAGE, [1, 2, 3]);
  new FrameReader((_kind, payload) => read.push(payload)).push(bytes);
  bytes.fill(0);
  assertEquals(read, [new Uint8Array([1, 2, 3])]);
});

Deno.test("what is no frame is an error, not an attempt to read gigabytes", () => {
  for (const garbage of ["a line of text\n", "\xff\xff\xff\xff\x00", "\x01\x00\x00\x00\x07"]) {
    const bytes = Uint8Array.from(garbage, (character) => character.charCodeAt(0));
    assertThrows(() => new FrameReader(() => {}).push(bytes), RangeError, "received what is none");
  }
});
