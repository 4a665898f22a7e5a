import { expect, test } from "vitest";
import { sha256Hex } from "../kit/hash.ts";
import { createHttpServer } from "../platform/http/server.ts";
import { createLog } from "../platform/log.ts";
import { startAdminApp } from "../../../../test/support/admin.ts";
import { makePreviewTickets } from "../features/admin-auth/ticket.ts";
import { guardRunner } from "../features/runs/runner.ts";
import { describeRunner, registerRunnerRoutes } from "./runner-api.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  security?: object[];
  responses: Record<string, { content?: object }>;
}

test("every route of the runner is described, and what answers with JSON has a schema", async () => {
  const { paths } = await describeRunner({ title: "T", version: "1", description: "" });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) =>
      Object.assign(operation, { name: `${method} ${path}` }),
    ),
  );
  expect(operations.length).toBeGreaterThan(10);
  const undescribed = operations.filter(
    ({ summary, tags, security }) => !summary || !tags?.length || !security?.length,
  );
  expect(undescribed.map(({ name }) => name)).toEqual([]);
  const withoutSchema = operations.filter(
    ({ responses }) => !["200", "201", "202"].some((code) => responses[code]?.content),
  );
  expect(withoutSchema.map(({ name }) => name)).toEqual([
    "get /devconsole/stream/{id}",
    "get /_preview/{*}",
    "get /devconsole/qa/stream/{runId}",
  ]);
});

test("abuse 24: every route of the runner is shut without a session, with a ticket and without", async () => {
  await using admin = await startAdminApp();
  const { db, clock, guard } = admin;
  const key = "the runner's key";
  const tickets = makePreviewTickets({ key: "a preview key", db, clock });
  const app = createHttpServer({
    log: createLog({ level: "silent", name: "runner" }),
    name: "runner",
    secure: false,
  });
  guardRunner(app, { key, guard, tickets });
  const routes: { method: string; url: string }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    // What lies below /internal is behind no gate: it asks for the key.
    if (url.startsWith("/internal/")) return;
    routes.push(...[method].flat().map((one) => ({ method: one, url })));
  });
  // No request gets as far as a handler, so none of what handlers need is there.
  registerRunnerRoutes(app, {} as Parameters<typeof registerRunnerRoutes>[1]);
  await app.ready();
  const cookie = await admin.signIn();
  const run = "01KAJ3Z5T0ABCDEFGHJKMNPQRS";
  const ticket = `~${tickets.issue(run, sha256Hex(cookie.split("=")[1] ?? ""))}`;
  const asked: string[] = [];
  for (const { method, url } of routes) {
    const path = url.replace(/:[a-zA-Z]*[iI]d$/, run).replace("*", `${run}/about/`);
    const ticketed = url.includes("*")
      ? url.replace("*", `${run}/${ticket}/about/`)
      : `${path}/${ticket}/`;
    for (const address of [path, ticketed, `${path}?ticket=${ticket}`]) {
      const answer = await app.inject({
        method: method as "GET",
        url: address,
        headers: { "x-vitrine-key": key, host: "localhost" },
      });
      expect([method, address, answer.statusCode]).toEqual([method, address, 401]);
      expect(answer.body === "" ? method : answer.json().error.code).toMatch(/^HEAD$|^unauth/);
      asked.push(`${method} ${url}`);
    }
  }
  expect(asked).toEqual(expect.arrayContaining(["GET /_preview/*", "POST /devconsole/run"]));
  expect(new Set(asked).size).toBeGreaterThan(30);
  await app.close();
});
