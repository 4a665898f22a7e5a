import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { line, paragraphs, verbatim } from "../../kit/fields.ts";
import { createLog } from "../log.ts";
import { type AppServer, createHttpServer } from "./server.ts";

let app: AppServer;

const item = z.strictObject({ use: z.literal("page"), id: z.int() });
const other = z.strictObject({ use: z.literal("reference"), name: line(40) });
const body = z.strictObject({
  name: line(40).optional(),
  text: paragraphs(4000).optional(),
  secret: verbatim(40).optional(),
  items: z
    .array(z.union([item, other]))
    .max(400)
    .optional(),
});

beforeEach(() => {
  const log = createLog({ level: "silent", name: "test" });
  app = createHttpServer({ log, name: "test", secure: false });
  const response = { 200: envelope(z.unknown()) };
  app.post("/api/things", { schema: { body, response } }, async (request) => ok(request.body));
  app.get("/api/fails", async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, "wrong"]));
    const details = "x".repeat(100_000);
    throw new AppError("conflict", "é".repeat(50_000), { fields, details });
  });
});
afterEach(() => app.close());

async function post(text: string) {
  const headers = { "content-type": "application/json" };
  const response = await app.inject({ method: "POST", url: "/api/things", headers, payload: text });
  const { data, error } = response.json() as {
    data: unknown;
    error: { code: string; message: string; fields?: Record<string, string> } | null;
  };
  return { status: response.statusCode, bytes: response.rawPayload.length, data, error };
}

test("abuse 113: the first faults are named, and that there are more", async () => {
  const keys = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, at]));
  const { status, error } = await post(JSON.stringify(keys));
  expect([status, error?.code]).toEqual([422, "validation_failed"]);
  expect(Object.keys(error?.fields ?? {})).toEqual(Object.keys(keys).slice(0, 10));
  expect(error?.message).toContain("k9, and more.");
});

test("abuse 113: a body with more keys and items than its route takes is refused unread", async () => {
  const many = Array.from({ length: 3000 }, (_, at) => `"k${at}":1`).join();
  const { status, error, bytes } = await post(`{${many}}`);
  expect([status, error?.code]).toEqual([413, "too_large"]);
  expect(bytes).toBeLessThan(1000);
});

test("abuse 114: wrong items of a union, long keys and long texts get short answers", async () => {
  const items = Array.from({ length: 400 }, () => ({ use: "nothing", a: 1 }));
  for (const value of [
    { items },
    { ["k".repeat(5000)]: 1 },
    { ['"\\\u0001'.repeat(1500)]: 1 },
    { name: "n".repeat(15_000) },
    { text: "t".repeat(15_000) },
  ]) {
    const { status, bytes, error } = await post(JSON.stringify(value));
    expect([status, error?.code]).toEqual([422, "validation_failed"]);
    expect(bytes).toBeLessThan(4000);
  }
});

test("abuse 114: whatever an error carries, its answer has at most 16 KiB", async () => {
  const response = await app.inject({ url: "/api/fails" });
  const { error } = response.json() as { error: { code: string; message: string } };
  expect([response.statusCode, error.code]).toEqual([409, "conflict"]);
  expect(response.rawPayload.length).toBeLessThanOrEqual(16 * 1024);
  expect(error.message).toMatch(/^é+$/);
});

test.each([
  ['{"name":"a","name":"b"}', "malformed_json"],
  ['{"name":"a","n\\u0061me":"b"}', "malformed_json"],
  ['{"items":[{"use":"page","id":1,"id":2}]}', "malformed_json"],
  ['{"items":{"a":{"b":1}},"items":[]}', "malformed_json"],
  ['{"items":[[[[[[[1]]]]]]]}', "bad_request"],
])("abuse 116: %s is refused with 400", async (text, code) => {
  const { status, error } = await post(text);
  expect([status, error?.code]).toEqual([400, code]);
});

test("abuse 116: the same key in different objects, and in a text, is no duplicate", async () => {
  const items = [
    { use: "page", id: 1 },
    { use: "page", id: 2 },
  ];
  const value = { name: '"name":"a",\\"name', items };
  expect(await post(JSON.stringify(value))).toMatchObject({ status: 200, data: value });
});

test.each([
  ['{"name":"\\ud800"}', "name"],
  ['{"secret":"a\\udc00b"}', "secret"],
  ['{"secret":"a\\u0000b"}', "secret"],
  ['{"items":[{"use":"reference","name":"\\ud83d"}]}', "items.0.name"],
])("abuse 157: %s is refused, and its field named", async (text, field) => {
  const { status, error } = await post(text);
  expect([status, Object.keys(error?.fields ?? {})]).toEqual([422, [field]]);
});

test("abuse 157: texts are trimmed and composed, and lose what they can't have", async () => {
  const value = { name: " A\u030A\u0000\n\u202Ex ", text: "a\r\nb\tc\u0007 ", secret: " e\u0301 " };
  const { data } = await post(JSON.stringify(value));
  expect(data).toEqual({ name: "Åx", text: "a\nb\tc", secret: " e\u0301 " });
});

test.each([
  ["a text without a bound", z.strictObject({ a: z.string() })],
  ["a list without a bound", z.strictObject({ a: z.array(z.int()) })],
  ["any other key", z.looseObject({})],
  ["anything", z.strictObject({ a: z.unknown() })],
  ["a text that isn't cleaned", z.strictObject({ a: z.string().max(9) })],
  [
    "a text that isn't trimmed",
    z.strictObject({
      a: z
        .string()
        .max(9)
        .regex(/^[ a-z]+$/),
    }),
  ],
  ["a text in a list of a union", z.strictObject({ a: z.union([z.int(), z.string().max(9)]) })],
])("abuse 158: a route can't be made whose body takes %s", (_what, open) => {
  const make = () => app.post("/api/open", { schema: { body: open } }, async () => ok(null));
  expect(make).toThrow(TypeError);
});

test("abuse 158: nor one whose query or parameters aren't cleaned", () => {
  const schema = { querystring: z.strictObject({ q: z.string() }) };
  expect(() => app.get("/api/open", { schema }, async () => ok(null))).toThrow(TypeError);
  expect(() => app.get("/api/open/:id", async () => ok(null))).toThrow(TypeError);
});

test("abuse 113: an answer that doesn't fit its schema is neither logged nor sent whole", async () => {
  const lines: string[] = [];
  const destination = { write: (text: string) => void lines.push(text) };
  const log = createLog({ level: "error", name: "test", destination });
  const own = createHttpServer({ log, name: "test", secure: false });
  const keys = z.strictObject({ list: z.array(z.strictObject({ id: z.number() })) });
  own.get("/broken", { schema: { response: { 200: keys } } }, async () => {
    const list = Array.from({ length: 3000 }, (_, at) => ({ id: "no number", [`k${at}`]: 1 }));
    return { list } as never;
  });
  const response = await own.inject({ url: "/broken" });
  await own.close();
  expect(response.statusCode).toBe(500);
  expect(response.body.length).toBeLessThan(1024);
  expect(lines.join("")).toContain("list.0.id");
  expect(lines.join("").length).toBeLessThan(24 * 1024);
});
