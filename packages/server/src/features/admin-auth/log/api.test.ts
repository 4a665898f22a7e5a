import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../../test/support/admin.ts";
import { appendLog } from "../store.ts";
import { registerAdminLog } from "./api.ts";
import type { LogPage } from "./schema.ts";

let app: AdminApp;
let cookie: string;

beforeEach(async () => {
  app = await startAdminApp({ register: registerAdminLog });
  cookie = await app.signIn();
});
afterEach(() => app.cleanup());

async function list(query = "") {
  const response = await app.ask(`/api/adminlog/list${query}`, { headers: { cookie } });
  return { status: response.status, page: response.json().data as unknown as LogPage };
}

const at = "2026-01-01T00:00:00.000Z";
const entry = { at, ip: "192.0.2.7", user_agent: "Firefox" } as const;

test("attempts are listed newest first, by page, method, and outcome", async () => {
  await appendLog(app.db, [
    { ...entry, method: "link", outcome: "failure" },
    { ...entry, method: "password", outcome: "throttled" },
    { ...entry, method: "link", outcome: "throttled", ip: "2001:db8::1" },
  ]);
  const all = await list();
  expect(all.page).toMatchObject({ total: 4, page: 1, perPage: 25 });
  expect(all.page.items.map(({ outcome }) => outcome)).toEqual([
    "throttled",
    "throttled",
    "failure",
    "success",
  ]);
  expect(all.page.items[0]).toMatchObject({ at, ip: "2001:db8::1", userAgent: "Firefox" });
  expect((await list("?perPage=1&page=4")).page.items[0]?.outcome).toBe("success");
  expect((await list("?perPage=1&page=9")).page).toMatchObject({ items: [], total: 4 });
  expect((await list("?method=link")).page.total).toBe(2);
  expect((await list("?outcome=throttled&method=password")).page.total).toBe(1);
  expect((await list("?outcome=nothing")).status).toBe(422);
  expect((await list("?at=now")).status).toBe(422);
});

test("the log isn't readable without a session", async () => {
  expect((await app.ask("/api/adminlog/list?nonsense")).status).toBe(401);
});
