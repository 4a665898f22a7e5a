import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { TestInstance } from "../support/instance.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";

let nodes: Nodes;
let one: TestInstance;
let two: TestInstance;
let admin: AdminClient;
/** The same session at the other node. */
let other: AdminClient;

beforeAll(async () => {
  nodes = await startNodes();
  one = await nodes.add();
  two = await nodes.add();
  admin = await signIn(one);
  other = { ...(await clientOf(two, admin.cookie)) };
}, 300_000);

afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

async function clientOf({ baseUrl }: TestInstance, cookie: string): Promise<AdminClient> {
  const ask = async (path: string, init: RequestInit) =>
    (await (await fetch(baseUrl + path, init)).json()) as never;
  const headers = { cookie, "content-type": "application/json" };
  const client: AdminClient = {
    ...admin,
    get: (path) => ask(path, { headers: { cookie } }),
    post: (path, body) => ask(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
  return client;
}

const page = async (node: TestInstance, path = "/") => (await fetch(node.baseUrl + path)).text();

test("a run of one node is previewed and published by another, and live on both", async () => {
  const runId = await admin.start('Replace "Selected work" with "Work from two nodes"');
  await admin.reach(runId, "preview_ready");
  const preview = await fetch(`${two.baseUrl}/_preview/${runId}/`, {
    headers: { cookie: admin.cookie },
  });
  expect(await preview.text()).toContain("Work from two nodes");
  const published = await other.post<{ status: string }>("/devconsole/publish", { runId });
  expect(published).toMatchObject({ ok: true, data: { status: "published" } });
  expect(await page(two)).toContain("Work from two nodes");
  await eventually(async () => expect(await page(one)).toContain("Work from two nodes"));
  expect(await one.git("rev-parse", "main")).toBe(await two.git("rev-parse", "main"));
});
