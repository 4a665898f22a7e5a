import { readdir } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../packages/server/src/features/changelog/schema.ts";
import type { Task } from "../../packages/server/src/features/tasks/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";

const password = "correct horse battery";
const footer = "app/src/components/Footer.astro";

/** How long three changes that are made and built one after the other may take, in ms. */
const timeoutMs = 120_000;

/** What an agent makes of each instruction: one edit, then its words. */
const jobs = [
  {
    ask: "Thank the type foundry in the footer.",
    path: footer,
    search: "<p>© {year}",
    replace: '<p><a href="https://foundry.example/">Type by the foundry</a></p>\n  <p>© {year}',
    message: "Thank the type foundry",
  },
  {
    ask: "On the home page, change “See the work” to “Look at the work”.",
    path: "app/src/content/home.json",
    search: '"See the work"',
    replace: '"Look at the work"',
    message: "Invite to look at the work",
  },
  {
    ask: "Show the weather in the footer.",
    path: footer,
    search: '<ul role="list">',
    replace: "<Weather />\n  <ul>",
    message: "Show the weather",
  },
] as const;

function response({ raw }: SeenRequest): ModelStep {
  const job = jobs.find(({ ask }) => raw.includes(ask));
  if (!job) return { text: "I don't know what this is about." };
  const { path, search, replace, message } = job;
  const opening = `I begin: ${message}.`;
  if (raw.includes(opening)) return { text: `Summary: ${message}.\nCommit: ${message}` };
  return { text: opening, calls: [{ name: "edit", input: { path, search, replace } }] };
}

let browser: Browser;
let instance: TestInstance;
let model: ModelServer;
let smtp: TestSmtp;
let admin: AdminClient;

beforeAll(async () => {
  [model, smtp] = await Promise.all([
    startModelServer(Array.from({ length: 40 }, () => response)),
    startSmtp(),
  ]);
  const config = { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } };
  [browser, instance] = await Promise.all([launchBrowser(), startInstance({ config })]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
  admin = await signIn(instance);
  await admin.post("/api/adminsettings/email", {
    to: "owner@example.com",
    from: "Site <site@example.com>",
    provider: null,
    smtp: { host: "127.0.0.1", port: smtp.port, secure: false, user: null },
  });
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
  await smtp?.[Symbol.asyncDispose]();
});

const column = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(name) });

const card = (page: Page, ask: string, name: string) =>
  column(page, name).getByRole("link", { name: ask });

/** Queues a task with the keyboard. */
async function queue(page: Page, ask: string): Promise<void> {
  await page.getByRole("button", { name: "New task" }).filter({ visible: true }).first().click();
  await page.getByRole("textbox", { name: "What to do" }).fill(ask);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const home = async () => (await fetch(`${instance.baseUrl}/`)).text();

async function taskOf(ask: string): Promise<Task> {
  const { data } = await admin.get<{ items: Task[] }>("/api/admintasks/list");
  return data.items.find((task) => task.instruction === ask) as Task;
}

function emailAbout(subject: RegExp): Promise<void> {
  return eventually(
    () => expect(smtp.emails.some(({ source }) => subject.test(source))).toBe(true),
    30_000,
  );
}

test("tasks from the board: one is reviewed and approved, one goes live automatically, one is reverted", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await page.goto(`${instance.baseUrl}/admin/tasks`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${instance.baseUrl}/admin/tasks`);
  for (const { ask } of jobs) await queue(page, ask);

  const [review, plain, broken] = jobs;
  await card(page, review.ask, "Needs review").click({ timeout: timeoutMs });
  const details = page.getByRole("complementary", { name: review.ask });
  await details.getByText("https://foundry.example").first().waitFor();
  expect(await home()).not.toContain("foundry.example");
  await details.getByRole("button", { name: "Review the preview" }).click();
  await page.frameLocator("iframe").getByRole("link", { name: "Type by the foundry" }).waitFor();
  await page.keyboard.press("Escape");

  await card(page, plain.ask, "Published").waitFor({ timeout: timeoutMs });
  await card(page, broken.ask, "Reverted").waitFor({ timeout: timeoutMs });
  expect(await taskOf(broken.ask)).toMatchObject({ status: "reverted", commit: null });
  expect((await taskOf(broken.ask)).error).toMatch(/Weather/);
  await emailAbout(/Subject:.*review/i);
  await emailAbout(/Subject:.*(reverted|failed)/i);

  const site = await page.context().newPage();
  await site.goto(instance.baseUrl);
  await site.getByRole("button", { name: /1 to review/ }).click();
  await site.getByRole("tab", { name: /Tasks/, selected: true }).waitFor();
  await site.getByRole("button", { name: review.ask }).waitFor();
  await site.close();

  await details.getByRole("button", { name: "Approve and publish" }).click();
  await card(page, review.ask, "Published").waitFor({ timeout: timeoutMs });
  const html = await home();
  expect(html).toContain('href="https://foundry.example/"');
  expect(html).toContain("Look at the work");
  expect(html).not.toContain("Weather");

  expect(await instance.git("status", "--porcelain")).toBe("");
  const log = await instance.git("log", "-2", "--format=%s%n%(trailers)", "main");
  for (const { ask, message } of [review, plain]) {
    const task = await taskOf(ask);
    expect(task).toMatchObject({ status: "published", attempts: 1 });
    expect(log).toContain(message);
    expect(log).toContain(`Task: ${task.id}`);
  }
  expect(log.match(/Published-Via: task-queue/g)).toHaveLength(2);
  // Small edits are recorded, and no news for visitors.
  const changes = await (await fetch(`${instance.baseUrl}/changelog/`)).text();
  const { data: recorded } = await admin.get<{ items: Entry[] }>("/api/adminchangelog/list");
  for (const { message } of [review, plain]) {
    expect(changes).not.toContain(message);
    const entry = expect.objectContaining({ title: message, actor: "Web Designer", hidden: true });
    expect(recorded.items).toContainEqual(entry);
  }
  await details.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("button", { name: "Undo this change" }).click();
  await details.getByText("The change is undone.").waitFor({ timeout: timeoutMs });
  expect(await home()).not.toContain("foundry.example");
  // Nothing of any of the three is left, but what is shown.
  await eventually(async () => expect(await readdir(instance.paths.workspaces)).toEqual([]));
  expect(errors).toEqual([]);
}, 480_000);
