import { expect, test } from "vitest";
import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import { createLog } from "../log.ts";
import { describeApi } from "./openapi.ts";
import { createHttpServer } from "./server.ts";

test.each([
  [false, "vitrine_admin", "vitrine_account"],
  [true, "__Host-vitrine_admin", "__Host-vitrine_account"],
])("the cookies are called what they are; over https: %s", async (secure, admin, account) => {
  const log = createLog({ level: "silent", name: "test" });
  const app = createHttpServer({ log, name: "test", secure });
  const info = { title: "T", version: "1", description: "" };
  const document = await describeApi(app, info, { secure });
  await app.ready();
  const { components } = document();
  await app.close();
  expect(components).toMatchObject({
    securitySchemes: { session: { name: admin }, account: { name: account } },
  });
});

test("the document is made from the schemas that validate", async () => {
  const log = createLog({ level: "silent", name: "test" });
  const app = createHttpServer({ log, name: "test", secure: false });
  const document = await describeApi(app, { title: "T", version: "1", description: "" });
  const schema = {
    security: [{ bearer: [] }],
    body: z.strictObject({ name: line(9) }),
    response: { 200: envelope(z.object({ id: z.number().int() })) },
  };
  app.post("/api/things", { schema }, async () => ok({ id: 1 }));
  app.get("/page", async () => "page");
  await app.ready();
  const { openapi, paths } = document();
  await app.close();
  expect([openapi, Object.keys(paths)]).toEqual(["3.1.0", ["/api/things"]]);
  const { post } = paths["/api/things"] as { post: Record<string, Record<string, unknown>> };
  expect(post["requestBody"]).toMatchObject({
    content: {
      "application/json": { schema: { properties: { name: { type: "string", maxLength: 9 } } } },
    },
  });
  expect(Object.keys(post["responses"] ?? {})).toEqual(["200", "default"]);
});
