import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import { createLog } from "../log.ts";
import { describeApi, type OpenApiDocument } from "./openapi.ts";
import { type AppServer, createHttpServer } from "./server.ts";

let app: AppServer;
let document: () => OpenApiDocument;

beforeEach(async () => {
  const log = createLog({ level: "silent", name: "test" });
  app = createHttpServer({ log, name: "test", secure: false });
  document = await describeApi(app, { title: "T", version: "1", description: "" });
  const schema = { response: { 200: envelope(z.unknown()) } };
  app.get("/api/bare", async (request) => ok(request.query));
  app.post("/api/bare", { schema }, async (request) => ok(request.body ?? null));
  app.delete("/devconsole/bare", async () => ok(null));
  const named = {
    querystring: z.strictObject({ q: line(40) }),
    body: z.strictObject({ b: z.int().optional() }),
  };
  app.post("/api/named", { schema: { ...schema, ...named } }, async (request) => ok(request.query));
  app.post("/api/door", { schema: { hide: true } }, async (request) => ok(request.body));
  app.post("/api/slow", { config: { slowBody: true } }, async (request) => ok(request.query));
  app.get("/page", async (request) => ok(request.query));
});
afterEach(() => app.close());

async function ask(method: "GET" | "POST" | "DELETE", url: string, payload?: object) {
  const response = await app.inject({ method, url, ...(payload ? { payload } : {}) });
  const { data, error } = response.json() as {
    data: unknown;
    error: { code: string; fields?: object } | null;
  };
  return [response.statusCode, error ? Object.keys(error.fields ?? {}) : data];
}

test("a route that names no query and no body takes none", async () => {
  expect(await ask("GET", "/api/bare?verbose=1")).toEqual([422, ["verbose"]]);
  expect(await ask("GET", "/api/bare")).toEqual([200, {}]);
  expect((await app.inject({ method: "HEAD", url: "/api/bare?verbose=1" })).statusCode).toBe(422);
  expect(await ask("POST", "/api/bare?a", {})).toEqual([422, ["a"]]);
  expect(await ask("POST", "/api/bare", { everywhere: true })).toEqual([422, ["everywhere"]]);
  expect(await ask("POST", "/api/bare", {})).toEqual([200, {}]);
  expect(await ask("POST", "/api/bare")).toEqual([200, null]);
  expect(await ask("DELETE", "/devconsole/bare", { a: 1 })).toEqual([422, ["a"]]);
});

test("what a route names counts, and pages, doors to elsewhere and uploads are left alone", async () => {
  expect(await ask("POST", "/api/named?q=1", { b: 1 })).toEqual([200, { q: "1" }]);
  expect(await ask("POST", "/api/named?q=1&r=2", {})).toEqual([422, ["r"]]);
  expect(await ask("POST", "/api/door?x=1", { a: 1 })).toEqual([200, { a: 1 }]);
  expect(await ask("POST", "/api/slow?x=1", { a: 1 })).toEqual([200, { x: "1" }]);
  expect(await ask("GET", "/page?e=1")).toEqual([200, { e: "1" }]);
});

test("the description asks for no body where none is taken", async () => {
  await app.ready();
  const { get, post } = document().paths["/api/bare"] as Record<string, object>;
  expect([get, post].map((operation) => Object.keys(operation ?? {}))).toEqual([
    ["responses"],
    ["x-body-limits", "responses"],
  ]);
  expect(document().paths["/api/named"]).toMatchObject({
    post: { parameters: [{ name: "q", in: "query" }], requestBody: {} },
  });
});
