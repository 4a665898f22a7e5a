import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MediaList } from "../../packages/server/src/features/media/schema.ts";
import { launchBrowser, openPage, saveImages } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { makePhoto } from "../support/media-files.ts";
import { tempFolder } from "../support/temp.ts";

const password = "correct horse battery";
let browser: Browser;
let instance: TestInstance;
let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeAll(async () => {
  [browser, instance, folder] = await Promise.all([launchBrowser(), startInstance(), tempFolder()]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await folder?.remove();
});

async function openLibrary(options: { hasTouch?: boolean } = {}) {
  const opened = await openPage(browser, { viewport: { width: 1440, height: 900 }, ...options });
  const { page } = opened;
  await page.goto(`${instance.baseUrl}/admin/media?q=walk`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${instance.baseUrl}/admin/media?q=walk`);
  return opened;
}

async function upload(page: Page, files: string[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files", exact: true }).click();
  await (await chooser).setFiles(files);
}

const card = (page: Page, name: string) => page.getByRole("article", { name });
const box = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
const bulk = (page: Page) => page.getByRole("region", { name: "Selected files" });

async function listed(page: Page, query = ""): Promise<MediaList> {
  const response = await page.request.get(`${instance.baseUrl}/api/media/list?${query}`);
  return ((await response.json()) as { data: MediaList }).data;
}

async function names(page: Page): Promise<(string | null)[]> {
  return page
    .getByRole("article")
    .evaluateAll((cards) => cards.map((each) => each.getAttribute("aria-label")));
}

test("several files are selected, described in one form, renamed, sorted, and deleted", async () => {
  const { page, errors } = await openLibrary({ hasTouch: true });
  const colors = {
    "walk-a.jpg": "#204060",
    "walk-b.jpg": "#304060",
    "walk-c.jpg": "#404060",
    "walk-d.jpg": "#504060",
  };
  const files = Object.entries(colors).map(([name, color]) =>
    makePhoto(folder.path, name, { color }),
  );
  await upload(page, await Promise.all(files));
  await eventually(async () => expect(await page.getByRole("article").count()).toBe(4));

  await page.getByLabel("Sort by").selectOption("By name");
  await eventually(async () =>
    expect(await names(page)).toEqual(["walk-a.jpg", "walk-b.jpg", "walk-c.jpg", "walk-d.jpg"]),
  );
  expect(new URL(page.url()).searchParams.get("sort")).toBe("name");

  await box(page, "walk-a.jpg").focus();
  await page.keyboard.press("Space");
  await card(page, "walk-c.jpg")
    .getByRole("button", { name: "View walk-c.jpg" })
    .click({ modifiers: ["Shift"] });
  await bulk(page).getByText("3 files selected").waitFor();
  await card(page, "walk-b.jpg")
    .getByRole("button", { name: "View walk-b.jpg" })
    .click({ modifiers: ["Control"] });
  await bulk(page).getByText("2 files selected").waitFor();
  await box(page, "walk-c.jpg").tap();
  await bulk(page).getByText("1 file selected").waitFor();
  await bulk(page).getByRole("button", { name: "Select all 4 on this page" }).click();
  await saveImages(page, "media-selected");

  await bulk(page).getByRole("button", { name: "Edit alt text" }).click();
  const form = page.getByRole("dialog", { name: "Alt text for 4 files" });
  const row = (name: string) => form.getByRole("listitem", { name });
  expect(await row("walk-a.jpg").locator("img").count()).toBe(1);
  await row("walk-a.jpg").getByLabel("Alt text").fill("A quay");
  await page.keyboard.press("Escape");
  await form.getByText("1 change not saved").waitFor();
  await row("walk-b.jpg").getByLabel("Alt text").fill("A crane");
  await row("walk-c.jpg")
    .getByRole("checkbox", { name: /^Decorative/ })
    .check();
  await saveImages(page, "media-describe");
  await form.getByRole("button", { name: "Save alt text" }).click();
  await form.waitFor({ state: "detached" });
  expect(await card(page, "walk-a.jpg").getByLabel("Alt text").inputValue()).toBe("A quay");
  const stored = (await listed(page, "q=walk&sort=name")).items;
  expect(stored.map(({ alt, isDecorative }) => [alt, isDecorative])).toEqual([
    ["A quay", false],
    ["A crane", false],
    ["", true],
    ["", false],
  ]);
  await page.getByRole("checkbox", { name: "Without alt text" }).check();
  await eventually(async () => expect(await names(page)).toEqual(["walk-d.jpg"]));
  await page.getByRole("checkbox", { name: "Without alt text" }).uncheck();

  await page.getByRole("button", { name: "Rename walk-d.jpg" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("  Walk plan ");
  await page.keyboard.press("Enter");
  await card(page, "Walk plan").waitFor();
  const renamed = (await listed(page, "q=plan")).items[0];
  expect(renamed?.src).toBe(stored[3]?.src);

  // The library of the project editor has the same orders, and Shift for a range.
  const editor = await page.context().newPage();
  await editor.goto(`${instance.baseUrl}/admin/projects/new`);
  await editor.getByRole("button", { name: "Choose from the library" }).click();
  const library = editor.getByRole("dialog", { name: "Add from the library" });
  await library.getByLabel("Search the library").fill("walk");
  await library.getByLabel("Sort by").selectOption("Oldest first");
  await library.getByLabel("Sort by").selectOption("By name");
  const choices = library.getByRole("list", { name: "Stored files" }).getByRole("button");
  await eventually(async () =>
    expect(await choices.allTextContents()).toEqual([
      expect.stringContaining("Walk plan"),
      expect.stringContaining("walk-a.jpg"),
      expect.stringContaining("walk-b.jpg"),
      expect.stringContaining("walk-c.jpg"),
    ]),
  );
  await choices.nth(3).click();
  await choices.nth(1).click({ modifiers: ["Shift"] });
  await saveImages(editor, "media-picker");
  await library.getByRole("button", { name: "Add 3 files" }).click();
  await editor.getByRole("listitem", { name: /^Image 1:/ }).waitFor();
  const added = editor.getByRole("listitem", { name: /^Image \d:/ });
  expect(await added.count()).toBe(3);
  await editor.close();

  // What a project uses stays, and the page says why.
  const project = await page.request.post(`${instance.baseUrl}/api/adminprojects/create`, {
    data: { name: "Quay", gallery: [{ src: stored[0]?.src, caption: "" }] },
    headers: { origin: instance.baseUrl },
  });
  expect(project.status()).toBe(201);
  await box(page, "walk-a.jpg").check();
  await box(page, "walk-b.jpg").check();
  await bulk(page).getByRole("button", { name: "Delete" }).click();
  await page
    .getByRole("alertdialog", { name: "Delete 2 files?" })
    .getByRole("button", { name: "Delete" })
    .click();
  const kept = page.getByRole("alertdialog", { name: "1 file couldn’t be deleted" });
  await kept.getByText("walk-a.jpg: The file is used by Quay.").waitFor();
  await saveImages(page, "media-kept");
  await kept.getByRole("button", { name: "Close" }).click();
  await card(page, "walk-b.jpg").waitFor({ state: "detached" });
  expect((await listed(page, "q=walk")).total).toBe(3);
  expect(errors.filter((line) => !line.includes("409"))).toEqual([]);
  await page.context().close();
});

/** An image that is large enough to be sent in parts. */
async function makeLargeImage(name: string): Promise<string> {
  const path = join(folder.path, name);
  const raw = { width: 2000, height: 1500, channels: 3 as const };
  const noise = randomBytes(raw.width * raw.height * raw.channels);
  await sharp(noise, { raw }).png({ compressionLevel: 0 }).toFile(path);
  return path;
}

/** Limits the upload speed, in bytes per second; -1 doesn't. */
function limitUploads(network: CDPSession, uploadThroughput: number): Promise<unknown> {
  const unlimited = { offline: false, latency: 0, downloadThroughput: -1 };
  return network.send("Network.emulateNetworkConditions", { ...unlimited, uploadThroughput });
}

/** Starts a slow upload and waits until the server has received a part of it. */
async function startSlowly(page: Page, file: string): Promise<CDPSession> {
  const network = await page.context().newCDPSession(page);
  await limitUploads(network, 2_000_000);
  await upload(page, [file]);
  await page.getByText(/^Sending [1-9]/).waitFor();
  return network;
}

/** The positions from which uploads are continued from now on. */
function continuations(page: Page): number[] {
  const offsets: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
  });
  return offsets;
}

const uploads = (page: Page) => page.getByRole("region", { name: "Uploads", exact: true });

test("an upload goes on from where it was on the next admin page, and after a reload", async () => {
  const { page, errors } = await openLibrary();
  const file = await makeLargeImage("walk-noise.png");
  const network = await startSlowly(page, file);
  const offsets = continuations(page);
  await page.getByRole("link", { name: "Projects", exact: true }).click();
  await page.waitForURL(/admin\/projects/);
  await uploads(page).getByText("Uploading 1 file").waitFor();
  await saveImages(page, "media-banner");
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.waitForURL(/admin$/);
  await uploads(page).getByText("Uploading 1 file").waitFor();
  await uploads(page).getByRole("link", { name: "Show uploads" }).click();
  await page.getByRole("progressbar", { name: "Upload of walk-noise.png" }).waitFor();
  await page.reload();
  await page.getByText(/^Sending/).waitFor();
  await limitUploads(network, -1);
  await uploads(page).getByText("1 file uploaded").waitFor();
  await card(page, "walk-noise.png").waitFor();
  await uploads(page).getByRole("button", { name: "Clear finished" }).click();
  await uploads(page).waitFor({ state: "detached" });
  expect(offsets.length).toBeGreaterThan(0);
  expect(offsets).not.toContain(0);
  // Nothing is left to continue.
  await page.goto(`${instance.baseUrl}/admin/projects`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await uploads(page).count()).toBe(0);
  // Another node may still store what arrived before the reload: the console then asks once more.
  const isExpected = (line: string) => instance.nodes.length > 1 && line.includes("409");
  expect(errors.filter((line) => !isExpected(line))).toEqual([]);
  await page.context().close();
});

test("an upload of a project continues when its editor is left, and comes to the gallery", async () => {
  const { page, errors } = await openLibrary();
  const [first, second] = await Promise.all(
    ["walk-early.png", "walk-late.png"].map((name) => makeLargeImage(name)),
  );
  const found = await page.request.get(
    `${instance.baseUrl}/api/adminprojects/get?slug=return-shelf`,
  );
  const { data } = (await found.json()) as { data: { id: number } };
  const editor = `${instance.baseUrl}/admin/projects/edit?id=${data.id}`;
  await page.goto(editor);
  const add = async (file: string) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload files to the gallery" }).click();
    await (await chooser).setFiles([file]);
  };
  const network = await page.context().newCDPSession(page);
  await limitUploads(network, 2_000_000);
  await add(first ?? "");
  await page.getByText(/^Sending [1-9]/).waitFor();
  // It goes on elsewhere, and is stored while the editor isn't open.
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.waitForURL(/admin$/);
  await uploads(page).getByText("Uploading 1 file").waitFor();
  await limitUploads(network, -1);
  await uploads(page).getByText("1 file uploaded").waitFor();
  await page.goto(editor);
  const place = (name: RegExp) => page.getByRole("listitem", { name });
  await place(/^Image \d+: .*walk-early/).waitFor();
  // One that is still uploading has a place, too.
  await limitUploads(network, 2_000_000);
  await add(second ?? "");
  await page.getByText(/^Sending [1-9]/).waitFor();
  await page.reload();
  await page.getByText("walk-late.png").first().waitFor();
  await saveImages(page, "media-editor-upload");
  await limitUploads(network, -1);
  await eventually(async () => {
    expect((await listed(page, "q=walk-late")).total).toBe(1);
  }, 60_000);
  await place(/^Image \d+: .*walk-late/).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("an upload continues when the connection is back, and with its file chosen again if the browser lost it", async () => {
  const { page } = await openLibrary();
  const [file, other] = await Promise.all([
    makeLargeImage("walk-storm.png"),
    makePhoto(folder.path, "walk-other.png", { color: "#606060" }),
  ]);
  const network = await page.context().newCDPSession(page);
  await limitUploads(network, 2_000_000);
  const parts = "**/api/media/uploads/*";
  await page.route(parts, (route) =>
    route.request().method() === "PATCH" ? route.abort("internetdisconnected") : route.continue(),
  );
  await upload(page, [file]);
  await uploads(page).getByText("The connection was lost.").waitFor();
  await saveImages(page, "media-offline");
  await page.unroute(parts);
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByText(/^Sending [1-9]/).waitFor();

  // As if there had been no room for the file.
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open("vitrine-uploads");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("files", "readwrite");
      transaction.objectStore("files").clear();
      transaction.oncomplete = resolve;
    };
  })`);
  await page.reload();
  await page.getByText("Choose the same file again to continue it.").waitFor();
  const choose = async (path: string) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose file for walk-storm.png" }).click();
    await (await chooser).setFiles([path]);
  };
  await choose(other);
  await page.getByText("This is a different file.").waitFor();
  await saveImages(page, "media-interrupted");
  const offsets = continuations(page);
  await choose(file);
  await limitUploads(network, -1);
  await uploads(page).getByText("1 file uploaded").waitFor();
  expect(offsets.length).toBeGreaterThan(0);
  expect(offsets).not.toContain(0);
  await page.context().close();
});

/** How long a change of the site may take to be built and live, in ms: a busy machine builds slowly. */
const builtWithinMs = 60_000;

test("the focal point of a cover is set by a click or the arrow keys, and the site cuts the cover there", async () => {
  const { page, errors } = await openLibrary();
  const cover = await page.request.get(`${instance.baseUrl}/projects/return-shelf/`);
  expect(await cover.text()).not.toContain("object-position");
  await page.goto(`${instance.baseUrl}/admin/media?q=shelf-spines`);
  await page.getByRole("button", { name: /^Focal point of/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Focal point of/ });
  const area = dialog.getByRole("button", { name: /^Focal point of/ });
  await dialog.getByText("50% from the left, 50% from the top").waitFor();
  // Until the image is there, the area has another size.
  await area
    .locator("img")
    .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  const { width = 0, height = 0 } = (await area.boundingBox()) ?? {};
  await area.click({ position: { x: width / 4, y: height - 1 } });
  await dialog.getByText("25% from the left, 100% from the top").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowUp");
  await dialog.getByText("26% from the left, 90% from the top").waitFor();
  await saveImages(page, "media-focal");
  await dialog.getByRole("button", { name: "Save focal point" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => {
    const live = await page.request.get(`${instance.baseUrl}/projects/return-shelf/`);
    expect(await live.text()).toContain("object-position:26% 90%");
  }, builtWithinMs);
  const found = await page.request.get(`${instance.baseUrl}/projects/return-shelf/`);
  expect(await found.text()).toContain('data-pagefind-meta="cut:26% 90%"');
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a cover is cropped, shown whole again, and replaced, and the site follows", async () => {
  const { page, errors } = await openLibrary();
  const cover = async () => {
    const live = await page.request.get(`${instance.baseUrl}/projects/return-shelf/`);
    return /<img[^>]* src="([^"]+)"[^>]* width="(\d+)" height="(\d+)"/.exec(await live.text());
  };
  const [, before = ""] = (await cover()) ?? [];
  await page.goto(`${instance.baseUrl}/admin/media?q=shelf-spines`);
  const named = page.getByRole("article");
  // The image arrives late: the area has its size before that.
  const measured = Promise.withResolvers<void>();
  await page.route(/shelf-spines/, async (route) => {
    if (route.request().resourceType() === "image") await measured.promise;
    await route.continue();
  });
  await named.getByRole("button", { name: /^Crop/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Crop/ });
  await dialog.getByLabel("Shape").selectOption("Square");
  const area = dialog.getByRole("button", { name: "Area to keep" });
  await area.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  const { width = 0, height = 0 } = (await area.boundingBox()) ?? {};
  expect(Math.min(width, height)).toBeGreaterThan(100);
  measured.resolve();
  await page.unrouteAll({ behavior: "wait" });
  await area.hover({ position: { x: width / 4, y: height / 4 } });
  await page.mouse.down();
  await area.hover({ position: { x: (width * 3) / 4, y: (height * 3) / 4 } });
  await page.mouse.up();
  await saveImages(page, "media-crop");
  await dialog.getByRole("button", { name: "Crop image" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => expect((await cover())?.[1]).not.toBe(before), builtWithinMs);
  const [, cropped = ""] = (await cover()) ?? [];
  expect((await page.request.get(new URL(cropped, instance.baseUrl).href)).status()).toBe(200);

  await named.getByRole("button", { name: /^Crop/ }).click();
  await dialog.getByRole("button", { name: "Restore whole image" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => expect((await cover())?.[1]).toBe(before), builtWithinMs);

  await named.getByRole("button", { name: /^Replace/ }).click();
  const replacing = page.getByRole("dialog", { name: /^Replace/ });
  await saveImages(page, "media-replace");
  const chooser = page.waitForEvent("filechooser");
  await replacing.getByRole("button", { name: "Choose new image" }).click();
  await (
    await chooser
  ).setFiles(await makePhoto(folder.path, "new-cover.jpg", { color: "#883311" }));
  await replacing.waitFor({ state: "detached" });
  await eventually(async () => expect((await cover())?.[1]).toContain("new-cover"), builtWithinMs);
  const { items } = await listed(page, "q=new-cover");
  expect(items).toMatchObject([{ usedBy: [{ name: "Return Shelf" }] }]);
  expect(items[0]?.alt).not.toBe("");
  expect(errors).toEqual([]);
  await page.context().close();
});
