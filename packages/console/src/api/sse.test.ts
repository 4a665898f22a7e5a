import { expect, test } from "vitest";

import type { SseMessage } from "./sse.ts";
import { makeSseParser } from "./sse.ts";

function parse(pieces: string[]): SseMessage[] {
  const messages: SseMessage[] = [];
  const parser = makeSseParser((message) => messages.push(message));
  for (const piece of pieces) parser.push(piece);
  return messages;
}

const stream =
  'id: 7\nevent: model.text\ndata: {"text":"a"}\n\n: ping\n\nid: 8\r\ndata: one\r\ndata: two\r\n\r\n';

test("messages have id, type, and data; comments are skipped", () => {
  expect(parse([stream])).toEqual([
    { id: "7", type: "model.text", data: '{"text":"a"}' },
    { id: "8", type: "message", data: "one\ntwo" },
  ]);
});

test("messages don't depend on how the bytes are split", () => {
  for (let size = 1; size < 12; size++) {
    const pieces: string[] = [];
    for (let at = 0; at < stream.length; at += size) pieces.push(stream.slice(at, at + size));
    expect(parse(pieces)).toEqual(parse([stream]));
  }
});

test("an incomplete message isn't delivered", () => {
  expect(parse(['id: 1\ndata: {"a":'])).toEqual([]);
  expect(parse(["id: 1\ndata: x\n"])).toEqual([]);
});
