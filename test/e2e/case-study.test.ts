import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import type { Task, TaskDetail } from "../../packages/server/src/features/tasks/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { useModel } from "../support/scripted-model.ts";
import { type AdminClient, browserSession, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { halves } from "../support/image-bytes.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";

const timeoutMs = 120_000;

const brief =
  "Quay lights for the night ferry: the quay was too dark to board. We set 48 lamps along it, and boarding takes 4 minutes instead of 9.";
const record = {
  name: "Quay lights",
  summary: "Lamps that bring passengers aboard in 4 minutes.",
  lede: "The quay was too dark to board.",
  body: "## The problem\n\nNobody saw the edge of the quay.\n\n## What we did\n\nWe set 48 lamps along it.",
  kind: "Lighting",
  role: "Design and planning",
  categories: ["Public space"],
  stack: ["Steel"],
  skills: [{ group: "Design", items: ["Lighting plan"] }],
  metrics: [{ value: "4 min", label: "to board, instead of 9" }],
};
const captions = ["The quay at night.", "The ferry at the quay."];
const alts = ["Lamps along a quay", "A ferry beside a lit quay"];

const steps = { create: "I write the record.", gallery: "Now its images." };

/** The address under which an uploaded image went along, by its name. */
function addressIn(raw: string, name: string): string {
  return new RegExp(String.raw`/media/\d{4}/[a-z0-9]+-${name}\.[a-z]+`).exec(raw)?.[0] ?? "";
}

/** A model that makes the same case study of every brief. */
function response({ raw }: SeenRequest): ModelStep {
  if (raw.includes(steps.gallery)) {
    return { text: "Summary: Made the case study Quay lights.\nCommit: Add Quay lights" };
  }
  if (!raw.includes(steps.create)) {
    return { text: steps.create, calls: [{ name: "create_project_draft", input: record }] };
  }
  const items = ["quay", "ferry"].map((name, index) => ({
    src: addressIn(raw, name),
    caption: captions[index],
    alt: alts[index],
  }));
  const input = { project: "quay-lights", items };
  return { text: steps.gallery, calls: [{ name: "arrange_gallery", input }] };
}

let browser: Browser;
let model: ModelServer;
let instance: TestInstance;
/** The owner, signed in once: the session outlives a restart. */
let admin: AdminClient;

beforeAll(async () => {
  model = await startModelServer(Array.from({ length: 20 }, () => response));
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  admin = await signIn(instance);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

/** A page of the console in a context of its own, where the owner is signed in. */
async function openAdmin(path: string, { width, height }: { width: number; height: number }) {
  const options = { viewport: { width, height }, storageState: browserSession(admin) };
  const opened = await openPage(browser, options);
  await opened.page.goto(instance.baseUrl + path);
  return opened;
}

/** Opens the form of a new case study and writes the brief. */
async function openForm(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "New task" }).filter({ visible: true }).first().click();
  const form = page.getByRole("dialog", { name: "New task" });
  await form.getByRole("radio", { name: "New case study" }).check();
  await form.getByRole("textbox", { name: "Brief" }).fill(brief);
  return form;
}

async function upload(form: Locator, name: string, color: number[]): Promise<void> {
  const buffer = await halves(800, 600, color, [240, 240, 240]).png().toBuffer();
  const file = { name: `${name}.png`, mimeType: "image/png", buffer };
  await form.locator('input[type="file"]').setInputFiles(file);
  await form.getByRole("button", { name: `Remove ${name}.png` }).waitFor();
}

const publicPage = (path: string) => fetch(`${instance.baseUrl}${path}`);
const publicText = async (path: string) => (await publicPage(path)).text();
const visiblePages = async () =>
  Promise.all(["/", "/projects/", "/changelog/", "/sitemap.xml", "/feed.xml"].map(publicText));

async function newestTask(): Promise<Task> {
  const { data } = await admin.get<{ items: Task[] }>("/api/admintasks/list");
  return data.items[0] as Task;
}

async function findQuayLights(): Promise<ProjectDetail | null> {
  const answer = await admin.get<ProjectDetail | null>("/api/adminprojects/get?slug=quay-lights");
  return answer.ok ? answer.data : null;
}

const gallery = (srcs: string[]) =>
  srcs.map((src, index) =>
    expect.objectContaining({ src, caption: captions[index], alt: alts[index] }),
  );

test("without a model the form says so and nothing queued, nor by the API", async () => {
  const { page } = await openAdmin("/admin/projects/new", { width: 390, height: 844 });
  await page.getByRole("link", { name: "Queue a case study" }).click();
  const form = page.getByRole("dialog", { name: "New task" });
  await form.getByRole("textbox", { name: "Brief" }).fill(brief);
  await form.getByText("A new case study needs a model, and none is set up.").waitFor();
  await form.getByRole("button", { name: "Needs a model" }).click();
  await form.getByRole("link", { name: "Open settings" }).waitFor();
  expect(await form.isVisible()).toBe(true);
  await page.context().close();
  const body = { kind: "project", projectStatus: "draft", instruction: brief };
  const { error } = await admin.post<Task>("/api/admintasks/create", body);
  expect(error?.code).toBe("model_not_configured");
  const { data } = await admin.get<{ total: number }>("/api/admintasks/list");
  expect(data.total).toBe(0);
}, 240_000);

test("a brief and two images become a draft unattended, of which visitors see nothing", async () => {
  await useModel(instance, model);
  const before = await visiblePages();
  const { page, errors } = await openAdmin("/admin/tasks", { width: 1440, height: 900 });
  const form = await openForm(page);
  await upload(form, "ferry", [20, 40, 120]);
  await upload(form, "quay", [10, 10, 40]);
  await form.getByRole("button", { name: "Move quay.png earlier" }).press("Enter");
  await form.getByRole("listitem").first().getByText("quay.png").waitFor();
  await page.keyboard.press("Control+Enter");
  await form.waitFor({ state: "detached" });

  const details = page.getByRole("complementary", { name: /Quay lights/ });
  await details.getByRole("link", { name: "Open the draft" }).waitFor({ timeout: timeoutMs });
  const task = await newestTask();
  expect(task).toMatchObject({ status: "published", projectStatus: "draft", attempts: 1 });
  const project = await findQuayLights();
  const media = project?.gallery.map(({ src }) => src) ?? [];
  expect(media.map((src) => /-(\w+)\./.exec(src)?.[1])).toEqual(["quay", "ferry"]);
  expect(project).toMatchObject({ ...record, status: "draft", gallery: gallery(media) });
  expect(task.projectId).toBe(project?.id);
  expect(await visiblePages()).toEqual(before);
  expect((await publicPage("/projects/quay-lights/")).status).toBe(404);
  expect(await instance.git("show", "main:database/projects.json")).toContain("Quay lights");

  const [first] = model.requests;
  expect(first?.raw).toContain("brief of a new case study");
  expect(first?.tools).toContain("create_project_draft");
  expect(first?.tools).not.toContain("write");

  await details.getByRole("link", { name: "Open the draft" }).click();
  await page.waitForURL(/\/admin\/projects\/edit\?id=/);
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Quay lights");
  expect(errors).toEqual([]);
  await page.context().close();
  const { id = 0, version = 0 } = project ?? {};
  await admin.post("/api/adminprojects/delete", { id, version });
}, 480_000);

test("one to publish waits with its page in the preview, goes live when approved, and comes back", async () => {
  const { data: drafted } = await admin.get<{ items: Task[] }>("/api/admintasks/list");
  const attachments = drafted.items[0]?.attachments ?? [];
  const body = { kind: "project", projectStatus: "published", instruction: brief, attachments };
  const { data: queued } = await admin.post<Task>("/api/admintasks/create", body);
  const path = `/admin/tasks?task=${queued.id}`;
  const { page, errors } = await openAdmin(path, { width: 1440, height: 900 });
  const details = page.getByRole("complementary", { name: /Quay lights/ });
  await details
    .getByText("It publishes a new project.", { exact: true })
    .waitFor({ timeout: timeoutMs });
  expect((await publicPage("/projects/quay-lights/")).status).toBe(404);
  await details.getByRole("button", { name: "Review the preview" }).click();
  const preview = page.frameLocator("iframe");
  await preview.getByRole("heading", { level: 1, name: "Quay lights" }).waitFor();
  await preview.getByRole("img", { name: "Lamps along a quay" }).first().waitFor();
  await page.keyboard.press("Escape");
  await details.getByRole("button", { name: "Approve and publish" }).click();
  await details.getByRole("link", { name: "View the page" }).waitFor({ timeout: timeoutMs });
  expect(errors).toEqual([]);
  await page.context().close();

  const project = await findQuayLights();
  expect(project).toMatchObject({ ...record, status: "published" });
  const html = await publicText("/projects/quay-lights/");
  for (const text of ["We set 48 lamps along it.", "The quay at night.", "4 min"]) {
    expect(html).toContain(text);
  }
  expect(await publicText("/projects/")).toContain("/projects/quay-lights/");
  expect(await publicText("/changelog/")).toContain("Published “Quay lights”");
  const { data: task } = await admin.get<TaskDetail>(`/api/admintasks/get?id=${queued.id}`);
  expect(task).toMatchObject({ status: "published", project: { slug: "quay-lights" } });
  expect(await instance.git("log", "-1", "--format=%(trailers)", "main")).toContain(
    `Task: ${task.id}`,
  );

  const runId = task.run?.id ?? "";
  const undo = await admin.post<{ runId: string }>("/devconsole/restore", { runId, mode: "undo" });
  await admin.reach(undo.data.runId, "published");
  await eventually(async () => {
    expect((await publicPage("/projects/quay-lights/")).status).toBe(404);
  });
  expect(await findQuayLights()).toBeNull();
  expect(await instance.git("status", "--porcelain")).toBe("");
}, 480_000);
