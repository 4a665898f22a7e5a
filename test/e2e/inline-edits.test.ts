import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  FileDiff,
  Run,
  RunRecordChange,
} from "../../packages/server/src/features/runs/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, browserSession, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { halves } from "../support/image-bytes.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

const slow = { timeout: 60_000 };
const rangers = "/projects/field-notes-for-rangers/";
let browser: Browser;
let instance: TestInstance;
/** The owner, signed in once. */
let client: AdminClient;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser({ whole: true }), startInstance()]);
  client = await signIn(instance);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** A page of the site with the console open. */
async function openAt(path: string, width = 1440): Promise<Page> {
  const touch = width < 768;
  const viewport = { width, height: 844 };
  const options = {
    viewport,
    hasTouch: touch,
    isMobile: touch,
    storageState: browserSession(client),
  };
  const { page } = await openPage(browser, options);
  await page.goto(instance.baseUrl + path);
  await page.getByRole("button", { name: "Console" }).click();
  await page.getByLabel("Describe a change to this page").waitFor();
  await listening(page);
  return page;
}

const bar = (page: Page) => page.getByRole("region", { name: "Changes on the page" });
const field = (page: Page) => page.getByRole("textbox", { name: /^Edit text/ });

/** Waits until the console listens to the page: it loads what types behind its first screen. */
const listening = (page: Page) =>
  page.locator("vitrine-console[data-editing]").waitFor({ state: "attached" });

/** Types over a text of the page by a double click. */
async function typeOver(page: Page, place: Locator, text: string): Promise<void> {
  await listening(page);
  await place.dblclick({ position: { x: 8, y: 8 } });
  await field(page).waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await field(page).waitFor({ state: "detached" });
}

async function ask<T>(page: Page, path: string): Promise<T> {
  const response = await page.request.get(`${instance.baseUrl}/devconsole${path}`);
  return ((await response.json()) as { data: T }).data;
}

/** Builds the preview of what waits, and gives its run. */
async function buildPreview(page: Page): Promise<Run> {
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith("/devconsole/edits")),
    bar(page).getByRole("button", { name: "Build preview" }).click(),
  ]);
  const { data } = (await response.json()) as { data: { runId: string } };
  await page.getByRole("status").getByText("Preview ready", { exact: true }).waitFor(slow);
  return eventually(async () => {
    const run = await ask<Run>(page, `/runs/${data.runId}`);
    expect(run.status).toBe("preview_ready");
    return run;
  }, slow.timeout);
}

async function changesOf(page: Page, run: Run): Promise<Record<string, string>> {
  const { files } = await ask<{ files: FileDiff[] }>(page, `/runs/${run.id}/diff`);
  return Object.fromEntries(files.map(({ path, patch }) => [path, patch]));
}

async function discard(page: Page, run: Run): Promise<void> {
  const answer = await page.request.post(`${instance.baseUrl}/devconsole/discard`, {
    data: { runId: run.id },
    headers: { origin: instance.baseUrl },
  });
  expect(answer.status()).toBe(200);
}

test("texts of a file and a case study, edited on two pages, make one run and go live", async () => {
  const page = await openAt("/");
  const runs = await ask<{ total: number }>(page, "/runs");
  await typeOver(page, page.locator("h1"), "Ledgers & logbooks, “made” calm.");
  await bar(page).getByText("1 change", { exact: true }).waitFor();

  await page.goto(instance.baseUrl + rangers);
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  const lead = page.locator("p.lead");
  await typeOver(page, lead, "Rangers wrote on wet paper.");
  // A passage of the record's Markdown, beside words with emphasis.
  const last = page.locator(".prose p", { hasText: "The park has used the logbook" });
  await last.dblclick({ position: { x: 8, y: 8 } });
  await field(page).waitFor();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("Since then: *no* paper. ");
  await page.keyboard.press("Enter");
  await bar(page).getByText("3 changes", { exact: true }).waitFor();
  await page.reload();
  await bar(page).getByText("3 changes", { exact: true }).waitFor();
  expect(await lead.textContent()).toBe("Rangers wrote on wet paper.");
  expect(await last.locator("em").textContent()).toBe("delete");

  const run = await buildPreview(page);
  expect(run.model).toBe("none");
  expect(await ask<{ total: number }>(page, "/runs")).toMatchObject({ total: runs.total + 1 });
  const changes = await changesOf(page, run);
  expect(changes["app/src/content/home.json"]).toContain(
    String.raw`+  "heading": "Ledgers & logbooks, “made” calm.",`,
  );
  const { changes: records } = await ask<{ changes: RunRecordChange[] }>(
    page,
    `/runs/${run.id}/records`,
  );
  expect(records.map(({ field: name }) => name).toSorted()).toEqual(["body", "lede"]);
  expect(records.find(({ field: name }) => name === "body")?.after).toContain(
    "to *delete* a sighting",
  );
  const frame = page.frameLocator('iframe[title^="Preview of"]');
  await frame.locator("p.lead", { hasText: "Rangers wrote on wet paper." }).waitFor();
  await frame.getByText("Since then: *no* paper. The park has used").waitFor();
  expect(await frame.locator(".prose em", { hasText: "delete" }).count()).toBe(1);
  expect(await bar(page).count()).toBe(0);

  await page.getByRole("button", { name: "Publish" }).first().click();
  await expect
    .poll(async () => (await fetch(instance.baseUrl + rangers)).text(), { timeout: 60_000 })
    .toContain("Since then: *no* paper.");
  const home = await (await fetch(`${instance.baseUrl}/`)).text();
  expect(home).toContain("Ledgers &amp; logbooks, “made” calm.");
  await page.context().close();
});

test("a text that appears elsewhere is changed only here or everywhere", async () => {
  const page = await openAt("/projects/");
  const heading = page.locator("h1");
  const link = (name: string) => page.locator("header a", { hasText: new RegExp(`^${name}$`) });
  await typeOver(page, heading, "Selected projects");
  await bar(page)
    .getByText(/“Projects” appears in \d+ places/)
    .waitFor();
  await page.keyboard.press("Enter");
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  expect(await heading.textContent()).toBe("Selected projects");
  expect(await link("Projects").first().count()).toBe(1);

  // The label of a link, hit beside its letters: the link isn't followed.
  await typeOver(page, link("Contact").first(), "Say hello");
  await bar(page).getByRole("button", { name: "Everywhere" }).click();
  await bar(page).getByText("2 changes", { exact: true }).waitFor();
  expect(await link("Say hello").count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe("/projects/");

  const run = await buildPreview(page);
  const changes = Object.entries(await changesOf(page, run));
  const changedBy = (text: string) =>
    changes.filter(([, patch]) => patch.includes(text)).map(([file]) => file);
  expect(changedBy("Selected projects")).toEqual(["app/src/content/projects.json"]);
  expect(changedBy("Say hello")).toEqual(
    expect.arrayContaining(["app/src/content/contact.json", "app/src/content/site.json"]),
  );
  await discard(page, run);
  await page.context().close();
});

test("a text assembled by code explains why it can't be edited and opens the composer with that part", async () => {
  const page = await openAt("/");
  const line = page.locator("article p.small", { hasText: " · " }).first();
  const before = await page.evaluate<string>("document.querySelector('main').innerText");
  await line.scrollIntoViewIfNeeded();
  const box = await line.boundingBox();
  // The card's link lies over it.
  await page.mouse.dblclick((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
  const refusal = bar(page).getByRole("group", { name: "Can’t be edited here" });
  await refusal.getByText(/Code or data generates this text/).waitFor();
  expect(await page.evaluate<string>("document.querySelector('main').innerText")).toBe(before);
  await refusal.getByRole("button", { name: "Describe the change" }).click();
  const chips = page.getByRole("list", { name: "Parts of the page" }).getByRole("listitem");
  expect(await chips.first().getAttribute("title")).toMatch(/ProjectCard\.astro:\d+ on \/$/);
  await page.keyboard.type("Shorter, please.");
  expect(await page.getByLabel("Describe a change to this page").inputValue()).toBe(
    "Shorter, please.",
  );
  await page.context().close();
});

test("an image is replaced by dropping another one on it, and a case study’s image gets its alt text on the page", async () => {
  const page = await openAt("/about/");
  const portrait = page.locator("main figure img").first();
  const png = await halves(900, 1200, [200, 80, 40], [20, 40, 90]).png().toBuffer();
  const box = (await portrait.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = { clientX: box.x + 40, clientY: box.y + 40 };
  const transfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (c) => c.charCodeAt(0));
    const made = new DataTransfer();
    made.items.add(new File([bytes], "portrait-new.png", { type: "image/png" }));
    return made;
  })()`);
  for (const type of ["dragover", "drop"]) {
    await portrait.dispatchEvent(type, { dataTransfer: transfer, bubbles: true, ...at });
  }
  const alt = bar(page).getByLabel("Alt text");
  await alt.fill("Mara at her desk");
  await page.keyboard.press("Enter");
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  expect(await portrait.getAttribute("src")).toMatch(/^\/media\/\d{4}\/.+-portrait-new\.\w+$/);

  // Only the words of another image.
  await page.goto(instance.baseUrl + rangers);
  await listening(page);
  await page.locator("main figure img").first().dblclick();
  await alt.fill("Dots on a dark field");
  await page.keyboard.press("Enter");
  await bar(page).getByText("2 changes", { exact: true }).waitFor();

  const run = await buildPreview(page);
  const frame = page.frameLocator('iframe[title^="Preview of"]');
  await frame.getByRole("img", { name: "Dots on a dark field" }).waitFor();
  const { changes } = await ask<{ changes: RunRecordChange[] }>(page, `/runs/${run.id}/records`);
  expect(changes.map(({ field: name }) => name)).toEqual(["gallery"]);

  const patch = (await changesOf(page, run))["app/src/content/about.json"] ?? "";
  expect(patch).toMatch(/\+ {4}"src": "\/media\/\d{4}\/.+-portrait-new\.\w+",/);
  expect(patch).toContain('+    "alt": "Mara at her desk",');
  await frame.getByRole("link", { name: "About", exact: true }).first().click();
  const shown = frame.getByRole("img", { name: "Mara at her desk" });
  await shown.waitFor();
  await expect
    .poll(() => shown.evaluate((img: unknown) => (img as { naturalWidth: number }).naturalWidth))
    .toBe(900);
  await discard(page, run);
  await page.context().close();
});

test("everything works by keyboard: F2 edits, Escape and Undo revert, paste is plain, links stay", async () => {
  const page = await openAt("/");
  const heading = page.locator("h1");
  const before = (await heading.textContent()) ?? "";
  const start = async () => {
    await page.keyboard.press("ControlOrMeta+Shift+c");
    await page.locator(".pick").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("status").getByText(/^h1 /).waitFor();
    await page.keyboard.press("F2");
    await field(page).waitFor();
  };
  await start();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Gone");
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  expect(await heading.textContent()).toBe(before);
  expect(await page.evaluate("document.activeElement.localName")).toBe("h1");
  expect(await bar(page).count()).toBe(0);

  await start();
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData("text/html", "<b>Plain</b> words");
    data.setData("text/plain", "Plain\\nwords");
    const paste = { clipboardData: data, bubbles: true, cancelable: true };
    document.querySelector("h1").dispatchEvent(new ClipboardEvent("paste", paste));
  })()`);
  await page.keyboard.press("Enter");
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  expect(await heading.innerHTML()).toBe("Plain words");
  await bar(page).getByRole("button", { name: "Undo" }).click();
  expect(await heading.textContent()).toBe(before);
  await page.context().close();
});

test("on a phone, a tap in the picker edits, and the console returns", async () => {
  const page = await openAt("/", 390);
  await page.getByRole("button", { name: /^Point/ }).tap();
  await page.locator(".pick").waitFor();
  await page.getByRole("button", { name: "Edit text" }).tap();
  const lead = page.locator("p.lead").first();
  const box = await lead.boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
  await field(page).waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Quick to learn.");
  await page.keyboard.press("Enter");
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  await bar(page).getByRole("button", { name: "Back to the console" }).tap();
  await page.getByLabel("Describe a change to this page").waitFor();
  await page.getByRole("button", { name: "1 change on the page" }).tap();
  await bar(page).getByRole("button", { name: "Build preview" }).tap();
  await page.getByRole("status").getByText("Preview ready", { exact: true }).waitFor(slow);
  const { items } = await ask<{ items: Run[] }>(page, "/runs?page=1&perPage=1");
  expect(items[0]?.instruction).toBe("Edit on the page: 1 change on /");
  await page.context().close();
});
