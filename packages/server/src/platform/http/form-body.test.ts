import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { registerFormParser } from "./form-body.ts";
import { type AppServer, createHttpServer } from "./server.ts";

const bounds = { maxBytes: 2048, maxFields: 5 };
let app: AppServer;

beforeEach(() => {
  const log = createLog({ level: "silent", name: "test" });
  app = createHttpServer({ log, name: "test", secure: false });
  registerFormParser(app, bounds);
  app.post("/form", { schema: { hide: true } }, async ({ body }) => ({ body }));
});
afterEach(() => app.close());

async function send(payload: string): Promise<{ status: number; body: unknown; error: unknown }> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await app.inject({ method: "POST", url: "/form", headers, payload });
  const { body, error } = response.json<{ body?: unknown; error?: unknown }>();
  return { status: response.statusCode, body, error };
}

test("a form's fields are decoded; one that comes twice is a list", async () => {
  const { body } = await send("name=Ad%C3%A9le+B.&a=1&a=2&__proto__=x&broken=%E0%A4");
  expect(body).toMatchObject({ name: "Adéle B.", a: ["1", "2"] });
});

test("abuse 118: a form with more fields or bytes than it may have is refused", async () => {
  const full = Array.from({ length: bounds.maxFields }, (_, at) => `k${at}=1`).join("&");
  expect(await send(full)).toMatchObject({ status: 200 });
  for (const more of [`${full}&k`, `${full}&k0=1`, "&".repeat(2000), "k&".repeat(1000)]) {
    const { status, error } = await send(more);
    expect({ status, error }).toMatchObject({ status: 413, error: { code: "too_large" } });
  }
  expect(await send(`a=${"x".repeat(bounds.maxBytes)}`)).toMatchObject({ status: 413 });
});
