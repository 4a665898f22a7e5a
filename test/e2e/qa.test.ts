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
  {
    // One element of the source, which is on the page twice.
    from: "<p>Lorem ipsum</p>",
    to: `<p>Lorem ipsum</p>{["1", "2"].map((n) => <img src={"/favicon.svg?" + n} width="9" height="9" />)}`,
    check: "img.alt-missing",
  },
] as const;

let browser: Browser;
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

test("a QA run finds a defect, a task fixes it, and the next run closes the finding", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await signInAt(page, "/admin/qa");
  await page.getByText("hasn’t checked the site yet").waitFor();
  await page.getByRole("button", { name: "Run now" }).first().click();

  const broken = page.locator("li.qa-finding", { hasText: "leads to /servces/" });
  await broken.waitFor({ timeout: 120_000 });
  const placeholder = page.locator("li.qa-finding", { hasText: "Lorem ipsum" });
  await placeholder.getByText("Needs a model.").waitFor();
  const setUp = placeholder.getByRole("link", { name: "Set up a model" });
  expect(await setUp.getAttribute("href")).toBe("/admin/settings#model");
  const fixWithModel = placeholder.getByRole("button", { name: "Fix" });
  expect(await fixWithModel.getAttribute("aria-disabled")).toBe("true");
  await fixWithModel.click({ force: true });
  expect(await lastRun()).toMatchObject({
    status: "finished",
    trigger: "manual",
    browserPages: 3,
  });
  // What it came to is put into words once it is written down.
  await eventually(async () => expect((await lastRun())?.summary).toMatch(/2 errors/));
  const [images, ...others] = await findings("img.alt-missing");
  expect(others).toEqual([]);
  const component = expect.stringMatching(/^app\/src\/pages\/contact\.astro:\d+$/);
  expect(images).toMatchObject({ occurrenceCount: 2, target: null, evidence: { component } });
  expect(images?.source).toMatchObject({ kind: "file", file: contact });

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
  // Nobody was asked to fix the others.
  expect(await findings("img.alt-missing")).toMatchObject([{ id: images?.id, status: "open" }]);
  expect(await findings("text.placeholder")).toMatchObject([{ status: "open", seenCount: 2 }]);
  expect(await lastRun()).toMatchObject({ status: "finished", trigger: "task" });
  expect(errors).toEqual([]);
}, 480_000);

test("a QA run that ends with its runner is aborted, and the next one finds the same", async () => {
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
