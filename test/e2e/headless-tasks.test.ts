import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FindingRecord } from "../../packages/server/src/features/qa/schema.ts";
import type {
  Task,
  TaskDetail,
  TaskStatus,
} from "../../packages/server/src/features/tasks/schema.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";
import type { ToolCall } from "../support/model-server/answer.ts";

const contact = "app/src/pages/contact.astro";
const siteFile = "app/src/content/site.json";
const timeoutMs = 120_000;
const opening = "I begin with it.";

let instance: TestInstance;
let model: ModelServer;
let admin: AdminClient;
/** What the agent does with its next task. */
let plan: readonly ToolCall[] = [];

function response({ raw }: SeenRequest): ModelStep {
  if (raw.includes(opening)) {
    return { text: "Summary: Did what was asked.\nCommit: Do what was asked" };
  }
  return { text: opening, calls: [...plan] };
}

const edit = (path: string, search: string, replace: string): ToolCall => {
  return { name: "edit", input: { path, search, replace } };
};

const swapEmail = edit(siteFile, '"email": "mara@example.com"', '"email": "nils@foreign.example"');

beforeAll(async () => {
  model = await startModelServer(Array.from({ length: 60 }, () => response));
  const provider = { provider: "openai-compatible", id: "scripted", baseUrl: model.url };
  const qa = { autofix: false, intervalMinutes: 0 };
  const limits = { qa: { browserPages: 1 } };
  instance = await startInstance({ config: { model: provider, qa, limits } });
  admin = await signIn(instance);
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

const shown = async (path: string) => (await fetch(instance.baseUrl + path)).text();

async function reaches(id: number, status: TaskStatus): Promise<TaskDetail> {
  return eventually(async () => {
    const { data } = await admin.get<TaskDetail>(`/api/admintasks/get?id=${id}`);
    expect([data.status, data.error, data.review.length > 0]).toEqual([
      status,
      null,
      status === "needs_review",
    ]);
    return data;
  }, timeoutMs);
}

async function queue(instruction: string, pageUrl: string): Promise<number> {
  const body = { instruction, pageUrl };
  return (await admin.post<Task>("/api/admintasks/create", body)).data.id;
}

async function cancel(id: number): Promise<void> {
  await admin.post("/api/admintasks/cancel", { id });
  await eventually(async () => {
    const { data } = await admin.get<TaskDetail>(`/api/admintasks/get?id=${id}`);
    expect(data.status).toBe("cancelled");
  }, timeoutMs);
}

test("abuse 171: what a misled agent does besides its task waits for review; the task alone goes live", async () => {
  const instruction = "In the availability, say April 2027 instead of February 2027.";
  const requestedEdit = edit("app/src/content/contact.json", "in February 2027", "in April 2027");

  plan = [requestedEdit, swapEmail];
  const misled = await queue(instruction, "/contact/");
  const { review } = await reaches(misled, "needs_review");
  expect(JSON.stringify(review)).toContain("nils@foreign.example");
  expect(await shown("/contact/")).toContain("mara@example.com");
  await cancel(misled);

  plan = [requestedEdit];
  const honest = await queue(instruction, "/contact/");
  expect(await reaches(honest, "published")).toMatchObject({ attempts: 1 });
  expect(await shown("/contact/")).toContain("in April 2027");
}, 480_000);

/** Breaks a link as an owner might, and has QA find it. */
async function brokenLink(): Promise<FindingRecord> {
  const file = join(instance.paths.content, contact);
  const source = await readFile(file, "utf8");
  expect(source).toContain('href="/services/"');
  await writeFile(file, source.replace('href="/services/"', 'href="/servces/"'));
  const author = ["-c", "user.name=o", "-c", "user.email=o@example.com"];
  await instance.git(...author, "commit", "-qam", "Break a link");
  await instance.vitrine(["rebuild"]);
  await eventually(async () => expect(await shown("/contact/")).toContain("/servces/"), timeoutMs);
  await admin.post("/devconsole/qa/run", {});
  const path = "/api/adminqa/findings?check=link.internal-broken";
  return eventually(async () => {
    const { data } = await admin.get<{ items: FindingRecord[] }>(path);
    const [finding] = data.items;
    if (finding === undefined) throw new Error("Nothing is found yet.");
    return finding;
  }, timeoutMs);
}

test("abuse 172: a fix of a finding goes live only on its own; with anything else it waits", async () => {
  const { id: findingId } = await brokenLink();
  const requestedEdit = edit(contact, 'href="/servces/"', 'href="/services/"');

  plan = [requestedEdit, swapEmail];
  const misled = (await admin.post<Task>("/api/adminqa/fix", { findingId })).data.id;
  const { review } = await reaches(misled, "needs_review");
  expect(JSON.stringify(review)).toContain("nils@foreign.example");
  await cancel(misled);

  plan = [requestedEdit];
  const again = (await admin.post<Task>("/api/adminqa/fix", { findingId })).data.id;
  await reaches(again, "published");
  const page = await shown("/contact/");
  expect(page).toContain('href="/services/"');
  expect(page).not.toContain("foreign.example");
}, 480_000);
