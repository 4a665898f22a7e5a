import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  FindingRecord,
  Overview,
  QaRun,
} from "../../packages/server/src/features/qa/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";

const password = "correct horse battery";
const contact = "app/src/pages/contact.astro";

/** What is broken on purpose, and by which check it is found. */
const seeds = [
  { from: 'href="/services/"', to: 'href="/servces/"', check: "link.internal-broken" },
  {
    from: '<div class="actions">',
    to: '<p>Lorem ipsum</p><div class="actions">',
    check: "text.placeholder",
  },
] as const;

let browser: Browser;
let model: ModelServer | undefined;
let instance: TestInstance;
let admin: AdminClient;

const contactPage = async () => (await fetch(`${instance.baseUrl}/contact/`)).text();

async function breakContact(): Promise<void> {
  const file = join(instance.paths.content, contact);
  let source = await readFile(file, "utf8");
  for (const { from, to } of seeds) {
    expect(source).toContain(from);
    source = source.replace(from, to);
  }
  await writeFile(file, source);
  await instance.git(
    "-c",
    "user.name=o",
    "-c",
    "user.email=o@example.com",
    "commit",
    "-qam",
    "Err",
  );
  await instance.vitrine(["rebuild"]);
  const reported = 60_000;
  await eventually(async () => expect(await contactPage()).toContain("/servces/"), reported);
}

beforeAll(async () => {
  // What is found is fixed when somebody says so; a browser opens a few pages, not all of them.
  const config = {
    qa: { autofix: false, intervalMinutes: 0 },
    limits: { qa: { browserPages: 3 } },
  };
  [browser, instance] = await Promise.all([launchBrowser(), startInstance({ config })]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
  admin = await signIn(instance);
  await breakContact();
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

async function signInAt(page: Page, path: string): Promise<void> {
  await page.goto(instance.baseUrl + path);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(instance.baseUrl + path);
}

async function lastRun(): Promise<QaRun | null> {
  return (await admin.get<Overview>("/api/adminqa/overview")).data.lastRun;
}

async function findings(check: string): Promise<FindingRecord[]> {
  const path = `/api/adminqa/findings?check=${check}`;
  return (await admin.get<{ items: FindingRecord[] }>(path)).data.items;
}

test("a QA run finds what is broken, a fix fixes it, and the next run closes it", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await signInAt(page, "/admin/qa");
  await page.getByText("has not been looked at yet").waitFor();
  await page.getByRole("button", { name: "Run now" }).first().click();

  const broken = page.locator("li.qa-finding", { hasText: "leads to /servces/" });
  await broken.waitFor({ timeout: 120_000 });
  await page.locator("li.qa-finding", { hasText: "Lorem ipsum" }).waitFor();
  expect(await lastRun()).toMatchObject({
    status: "finished",
    trigger: "manual",
    browserPages: 3,
  });
  // What it came to is put into words once it is written down.
  await eventually(async () => expect((await lastRun())?.summary).toMatch(/1 error/));

  await broken.getByRole("button", { name: "Fix" }).click();
  await broken.getByRole("link", { name: "Task #1" }).waitFor();
  // Made, built, published, and the whole site looked at once more.
  const timeoutMs = 240_000;
  await eventually(async () => {
    const [finding] = await findings("link.internal-broken");
    expect(finding).toMatchObject({ status: "fixed", task: { id: 1, status: "published" } });
  }, timeoutMs);
  await broken.waitFor({ state: "detached" });
  expect(await contactPage()).toContain('href="/services/"');
  expect(await instance.git("log", "-1", "--format=%(trailers)", "main")).toContain("Task: 1");
  // Nobody was asked to fix the other.
  expect(await findings("text.placeholder")).toMatchObject([{ status: "open", seenCount: 2 }]);
  expect(await lastRun()).toMatchObject({ status: "finished", trigger: "task" });
  expect(errors).toEqual([]);
}, 480_000);

test("a QA run that the runner's death ends is aborted, and the next one finds the same", async () => {
  const before = await findings("text.placeholder");
  expect(await admin.post("/devconsole/qa/run", {})).toMatchObject({ ok: true });
  await instance.kill("runner");
  await instance.ready();
  const timeoutMs = 120_000;
  await eventually(async () => expect((await runs())[0]?.status).toBe("aborted"), timeoutMs);
  await admin.post("/devconsole/qa/run", {});
  await eventually(async () => expect((await runs())[0]?.status).toBe("finished"), timeoutMs);
  const [run] = await runs();
  expect(run).toMatchObject({ isUnchanged: true, fixedFindings: 0, browserPages: 3 });
  const [after] = await findings("text.placeholder");
  expect(after).toMatchObject({ id: before[0]?.id, firstSeenAt: before[0]?.firstSeenAt });
}, 480_000);

async function runs(): Promise<QaRun[]> {
  return (await admin.get<{ items: QaRun[] }>("/api/adminqa/runs")).data.items;
}

const project = "field-notes-for-rangers";
const dots = "/media/2026/fd77d355c18c-field-dots.webp";
const contours = "/media/2026/45ca45183824-field-contours.webp";
const described = "Two hills, drawn in height lines.";

interface Stored {
  id: number;
  version: number;
  body: string;
  gallery: { src: string; caption: string; alt?: string }[];
}

const caseStudy = async () => (await fetch(`${instance.baseUrl}/projects/${project}/`)).text();

async function stored(): Promise<Stored> {
  return (await admin.get<Stored>(`/api/adminprojects/get?slug=${project}`)).data;
}

/** Leads a link astray, and takes the words from two images: the library has some for one of them. */
async function breakCaseStudy(): Promise<void> {
  const { items } = (await admin.get<{ items: { id: number; src: string }[] }>("/api/media/list"))
    .data;
  const image = items.find(({ src }) => src === contours);
  expect(await admin.post("/api/media/update", { id: image?.id, alt: "" })).toMatchObject({
    ok: true,
  });
  const { id, version, body, gallery } = await stored();
  const emptied = gallery.map((item) =>
    item.src === dots || item.src === contours ? Object.assign({}, item, { alt: "" }) : item,
  );
  const saved = await admin.post("/api/adminprojects/save", {
    id,
    version,
    body: `${body}\n\nMore [about me](/aboutt/ "Me"), not \`[x](/aboutt/)\`.`,
    gallery: emptied,
  });
  expect(saved).toMatchObject({ ok: true });
  await eventually(async () => expect(await caseStudy()).toContain("/aboutt/"), 60_000);
}

async function look(): Promise<void> {
  const before = (await runs())[0]?.id ?? 0;
  expect(await admin.post("/devconsole/qa/run", {})).toMatchObject({ ok: true });
  await eventually(async () => {
    const [last] = await runs();
    expect(last?.id).toBeGreaterThan(before);
    expect(last?.status).toBe("finished");
  }, 120_000);
}

/** The finding of the case study, when it is looked into: that follows the run. */
async function lookedInto(check: string, part: string): Promise<FindingRecord> {
  return eventually(async () => {
    const finding = (await findings(check)).find(({ target, status }) => {
      return status === "open" && (target ?? "").includes(part);
    });
    expect(finding?.source).toMatchObject({ kind: "record", slug: project });
    return finding as FindingRecord;
  }, 60_000);
}

async function closed(id: number): Promise<void> {
  await eventually(async () => {
    const { data } = await admin.get<FindingRecord>(`/api/adminqa/finding?id=${id}`);
    expect([data.status, data.task?.status]).toEqual(["fixed", "published"]);
  }, 240_000);
}

test("a link and alternative texts of a case study are fixed where they stand, with a model and without", async () => {
  await breakCaseStudy();
  await look();
  const link = await lookedInto("link.internal-broken", "/aboutt/");
  const withWords = await lookedInto("img.alt-empty-content", "field-dots");
  const withoutWords = await lookedInto("img.alt-empty-content", "field-contours");
  const exact = { fix: { kind: "exact", refusal: null }, isAutoFixable: true };
  expect(link).toMatchObject({ ...exact, source: { field: "body" } });
  expect(withWords).toMatchObject({ ...exact, source: { field: "gallery", item: 1 } });
  expect(withoutWords).toMatchObject({
    fix: { kind: "model", refusal: "no_model" },
    isAutoFixable: false,
    source: { field: "gallery", item: 2 },
  });

  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await signInAt(page, "/admin/qa");
  const needy = page.locator("li.qa-finding", { hasText: "field-contours" });
  await needy.getByText("Needs a model.").waitFor();
  const button = needy.getByRole("button", { name: "Fix" });
  expect(await button.getAttribute("aria-disabled")).toBe("true");
  const refused = await admin.post("/api/adminqa/fix", { findingId: withoutWords.id });
  expect(refused.error?.code).toBe("model_not_configured");
  const broken = page.locator("li.qa-finding", { hasText: "leads to /aboutt/" });
  await broken.getByText("Auto-fixable").waitFor();
  await broken.getByPlaceholder("How to fix it").fill("And make it sound friendlier.");
  await broken.getByRole("button", { name: "Fix" }).click();
  await admin.post("/api/adminqa/fix", { findingId: withWords.id });
  await closed(link.id);
  await closed(withWords.id);
  const fixed = await stored();
  expect(fixed.body).toContain('[about me](/about/ "Me"), not `[x](/aboutt/)`.');
  expect(await caseStudy()).toContain("A telephone with four coloured buttons");

  await needy.getByRole("link", { name: /Gallery, image 2/ }).click();
  const editor = await page.context().waitForEvent("page");
  await editor.getByRole("heading", { name: "Field notes" }).first().waitFor();
  await eventually(async () => {
    const name = await editor.locator(":focus").getAttribute("name");
    expect(name).toMatch(/^gallery\..+\.alt$/);
  });
  await page.context().close();
  expect(errors).toEqual([]);

  const items = fixed.gallery.map((item) => {
    return item.src === contours ? Object.assign({}, item, { alt: described }) : item;
  });
  model = await startModelServer([
    { calls: [{ name: "read_project", input: { project } }] },
    { calls: [{ name: "arrange_gallery", input: { project, items } }] },
    { text: "The image is described.\n\nCommit: Describe the hills" },
  ]);
  const scripted = { provider: "openai-compatible", id: "scripted", baseUrl: model.url };
  await instance.vitrine(["setting", "set", "model"], JSON.stringify(scripted));
  const { data } = await admin.get<FindingRecord>(`/api/adminqa/finding?id=${withoutWords.id}`);
  expect(data).toMatchObject({ fix: { kind: "model", refusal: null }, isAutoFixable: true });
  await admin.post("/api/adminqa/fix", { findingId: withoutWords.id });
  await closed(withoutWords.id);
  expect((await stored()).gallery.find(({ src }) => src === contours)?.alt).toBe(described);
  expect(await caseStudy()).toContain(described);
}, 900_000);
