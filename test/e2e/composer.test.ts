import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { type AdminClient, browserSession, signIn } from "../support/client.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";
import { makePhoto } from "../support/media-files.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";

const path = "app/src/content/home.json";
const field = "Describe a change to this page";

let browser: Browser;
let instance: TestInstance;
/** The owner, signed in once. */
let client: AdminClient;
let model: ModelServer;
let folder: TempFolder;
let photos: [forPage: string, forReference: string];
/** The model's next step waits for this. */
let gate = Promise.withResolvers<void>();

const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const change = (search: string, replace: string): ModelStep => ({
  calls: [
    { name: "read", input: { path } },
    { name: "edit", input: { path, search: `"${search}"`, replace: `"${replace}"` } },
  ],
});

/** A run that waits after its first words, and the one that goes on from it. */
function scriptOf(round: number) {
  return [
    async () => {
      await gate.promise;
      return call("read", { path });
    },
    change("See the work", `Look at the work ${round}`),
    { text: "The button says more.\n\nCommit: Invite to look" },
    change(`Look at the work ${round}`, `See what was made ${round}`),
    { text: "And now something else.\n\nCommit: Say what was made" },
  ];
}

beforeAll(async () => {
  folder = await tempFolder();
  const sizes = { width: 640, height: 480 };
  [browser, model, photos] = await Promise.all([
    launchBrowser(),
    startModelServer([...scriptOf(1), ...scriptOf(2)]),
    Promise.all([
      makePhoto(folder.path, "kiln-at-dusk.jpg", { color: "#b8341a", ...sizes }),
      makePhoto(folder.path, "sketch.jpg", { color: "#1e6a45", ...sizes }),
    ]),
  ]);
  instance = await startInstance({
    config: { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } },
  });
  client = await signIn(instance);
});

afterAll(async () => {
  gate.resolve();
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
  await folder?.remove();
});

/** A page in a context of its own, where the owner is signed in. */
const openSignedIn = (options: BrowserContextOptions) =>
  openPage(browser, { ...options, storageState: browserSession(client) });

async function openConsole(page: Page): Promise<void> {
  await page.goto(`${instance.baseUrl}/#console`);
  await page.getByLabel(field).waitFor();
}

/** Axe over a light page at one width and over a dark one at the other: the console is the same on both. */
async function look(page: Page, what: string): Promise<void> {
  const colorScheme = themeAt(page.viewportSize()?.width ?? 0);
  await page.emulateMedia({ colorScheme });
  const violations = await axe(page, { include: "vitrine-console" });
  const found = violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
  expect([what, colorScheme, found]).toEqual([what, colorScheme, []]);
  await image(page, `${what}-${colorScheme}`);
}

async function image(page: Page, name: string): Promise<void> {
  const dir = process.env["VITRINE_TEST_IMAGES"];
  if (dir === undefined) return;
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: join(dir, `${name}-${width}.png`) });
}

/** What in the composer is lower than a finger or a pointer needs, in px. */
async function smallTargets(page: Page, min: number): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelector("vitrine-console").shadowRoot.querySelectorAll(
      ".composer button, .composer input:not([hidden]):not([type=radio]), .composer label:has([type=radio]), .queue button",
    )]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < ${min})
      .map((element) => element.outerHTML.slice(0, 120))
  `);
}

const imagesIn = ({ raw }: SeenRequest): number => raw.match(/data:image\//g)?.length ?? 0;
const outcome = (page: Page, word: string) =>
  page.getByRole("status").getByText(word, { exact: true });

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

const shown = (page: Page) => page.getByRole("list", { name: "Images" });

/** Attaches two images, of which one fails and is sent again, and makes one of them for the page. */
async function attachBoth(page: Page): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  let refused = false;
  await page.route("**/api/media/reference", (route) => {
    if (refused) return route.fallback();
    refused = true;
    return route.abort();
  });
  await page.getByRole("button", { name: "Attach" }).click();
  await (await chooser).setFiles(photos);
  await shown(page).getByText("The connection was lost").waitFor();
  await shown(page).getByText("Never appears on the site").waitFor();
  await look(page, "failed");
  await shown(page).getByRole("button", { name: "Retry" }).click();
  await shown(page).getByText("Never appears on the site").nth(1).waitFor();

  const held = Promise.withResolvers<void>();
  await page.route("**/api/media/upload", async (route) => {
    await held.promise;
    await route.continue();
  });
  const use = page.getByRole("group", { name: /kiln-at-dusk/ });
  await use.getByRole("radio", { name: "For the page" }).check();
  await shown(page).getByRole("progressbar").waitFor();
  await page.getByText("Send once the images are uploaded").waitFor();
  await look(page, "uploading");
  // The next page continues what this one hasn't finished.
  await page.reload();
  await shown(page).getByRole("progressbar").waitFor();
  held.resolve();
  await shown(page).getByText("Added to your media library").waitFor();
  await page.getByLabel("What kiln-at-dusk.jpg shows").fill("A kiln at dusk");
  await page.getByLabel(field).focus();
}

/** Points at the page's heading, by pointer where there is room and by keys where not. */
async function pointAtHeading(page: Page): Promise<void> {
  await page.keyboard.press("Control+Shift+C");
  await page.locator(".pick").waitFor();
  const heading = await page.locator("h1").first().boundingBox();
  if (!heading) throw new Error("There is no heading to point at.");
  await page.mouse.click(heading.x + 20, heading.y + heading.height / 2);
  await page
    .getByRole("list", { name: "Parts of the page" })
    .getByText(/^h1 “.+”$/)
    .waitFor();
}

/** Sets the most tokens of a day as the settings page does. */
async function setDay(page: Page, tokens: number | null): Promise<void> {
  const none = { tokens: null, cost: null };
  const body = JSON.stringify({ run: none, day: { tokens, cost: null }, month: none });
  const headers = { "content-type": "application/json" };
  const init = JSON.stringify({ method: "POST", headers, body });
  const status = await page.evaluate<number>(
    `fetch("/api/adminsettings/budget", ${init}).then((answer) => answer.status)`,
  );
  expect(status).toBe(200);
}

/** With a day's ceiling reached, that is said and nothing is sent. */
async function meetCeiling(page: Page): Promise<void> {
  await setDay(page, 1);
  await page.reload();
  await page.getByText("Today’s limit of 1 token is reached.").waitFor();
  await page.getByLabel(field).fill("Do something all the same.");
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await setDay(page, null);
}

describe.each([1440, 390])("at %d px", (width) => {
  test("images, elements, queued messages, follow-ups, the palette, the title, and the estimate work", async () => {
    gate = Promise.withResolvers<void>();
    const first = model.requests.length;
    const { page, errors } = await openSignedIn({
      viewport: { width, height: 844 },
      reducedMotion: "reduce",
    });
    await page.clock.install();
    await openConsole(page);
    await page.getByText(/No estimate yet|About .* \(\d+ runs?\)/).waitFor();
    await look(page, "empty");
    await page.getByLabel(field).fill("x".repeat(8001));
    // It once covered the composer.
    expect((await page.getByText("8,001").boundingBox())?.height).toBeLessThan(40);
    await page.getByLabel(field).fill("");

    await attachBoth(page);
    await pointAtHeading(page);
    await page.getByLabel(field).fill("Let the first button say more.");
    await page.getByRole("button", { name: /^Who changed this\? h1/ }).click();
    await page
      .getByRole("region", { name: "Who changed this" })
      .getByText(/commit/)
      .waitFor();
    await look(page, "chips");
    await page.keyboard.press("Escape");
    await page
      .getByRole("button", { name: /^Who changed this\? h1/ })
      .and(page.locator(":focus"))
      .waitFor();
    expect(await smallTargets(page, width < 768 ? 44 : 28)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Remove kiln-at-dusk.jpg" }).waitFor();
    await page.getByRole("button", { name: /^Remove h1/ }).waitFor();
    await page.getByLabel(field).press("Control+Enter");

    await page.getByRole("button", { name: "Send to the run" }).waitFor();
    expect(await page.getByRole("list", { name: "Images" }).count()).toBe(0);
    const say = page.getByLabel("Send a message to the run");
    const answered = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      const response = await route.fetch();
      await answered.promise;
      await route.fulfill({ response });
    };
    await page.route("**/devconsole/message", answerLate, { times: 1 });
    await say.fill("Never mind the colour.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: /Withdraw “Never mind/ }).waitFor();
    // What is written while the last is on its way stays.
    await say.fill("Keep it short.");
    answered.resolve();
    await page.getByRole("button", { name: "Send to the run" }).click();
    await page.getByRole("button", { name: /Withdraw “Keep it/ }).waitFor();
    await look(page, "queue");
    expect(await smallTargets(page, width < 768 ? 44 : 28)).toEqual([]);
    await page.getByRole("button", { name: /Withdraw “Never mind/ }).click();
    await page.getByRole("button", { name: /Withdraw “Never mind/ }).waitFor({ state: "detached" });
    // That it is gone may be heard of before the answer that gives the text back.
    await expect.poll(() => say.inputValue()).toBe("Never mind the colour.");
    await say.fill("");

    const title = await page.title();
    await setHidden(page, true);
    gate.resolve();
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(15_000);
          return page.title();
        },
        { timeout: 120_000 },
      )
      .toBe(`(Preview ready) ${title}`);
    await setHidden(page, false);
    expect(await page.title()).toBe(title);

    await outcome(page, "Preview ready").waitFor();
    const [started, announcements] = model.requests.slice(first);
    if (!started || !announcements) throw new Error("The model was not asked.");
    expect(imagesIn(started)).toBe(2);
    expect(started.raw).toMatch(/\/media\/\d{4}\/[^"\\]*kiln-at-dusk/);
    expect(started.raw).toContain("A kiln at dusk");
    expect(started.raw).toMatch(/app\/src\/[^"\\ ]+\.astro:\d+/);
    expect(started.raw).not.toContain("Keep it short.");
    expect(announcements.raw).toContain("Keep it short.");
    expect(announcements.raw).not.toContain("Never mind the colour.");

    await look(page, "ready");
    expect(await page.getByRole("radio", { name: "Change this further" }).isChecked()).toBe(true);
    await page.getByLabel(field).fill("Say what was made instead.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("And now something else.").waitFor();
    await outcome(page, "Preview ready").waitFor();
    const runs = await page.request.get(`${instance.baseUrl}/devconsole/runs?perPage=2`);
    expect(await runs.json()).toMatchObject({
      data: { items: [{ origin: { kind: "continue" } }, { status: "discarded" }] },
    });

    // What is typed while the palette is loaded is for the palette.
    const late = Promise.withResolvers<void>();
    await page.route(/OverlayPalette-[^.]*\.js/, async (route) => {
      await late.promise;
      await route.continue();
    });
    await page.getByLabel(field).focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("about/");
    late.resolve();
    const find = page.getByRole("combobox", { name: /^Find/ });
    await find.and(page.locator('[value="about/"]')).waitFor();
    expect(await page.getByLabel(field).inputValue()).toBe("");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.getByRole("option", { name: "/about/" }).waitFor();
    await look(page, "palette");
    await find.fill("zzzz");
    await page.getByText("Nothing matches “zzzz”.").waitFor();
    await find.fill("keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await find.waitFor();
    await page.keyboard.press("Escape");
    // Hidden by the browser, it is closed for the console a moment later.
    await page.locator("dialog.palette").waitFor({ state: "detached" });
    await page.getByLabel(field).and(page.locator(":focus")).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Publish", exact: true }).waitFor();
    await find.fill("discard");
    await page.keyboard.press("Enter");
    const question = page.getByRole("alertdialog", { name: /^Discard the changes/ });
    await question.getByRole("button", { name: "Discard" }).click();
    await outcome(page, "Discarded").waitFor();
    // The question is gone: the focus is back where it was, and keys are still heard.
    await page.getByLabel(field).and(page.locator(":focus")).waitFor();
    await meetCeiling(page);
    expect(errors.filter((error) => !error.includes("ERR_FAILED"))).toEqual([]);
    await page.context().close();
  });
});

test("the sheet ends above an on-screen keyboard, with Send visible", async () => {
  const { page } = await openSignedIn({ viewport: { width: 390, height: 844 } });
  await page.addInitScript(`
    const view = new EventTarget();
    Object.assign(view, { height: 844, offsetTop: 0, scale: 1 });
    Object.defineProperty(window, "visualViewport", { value: view });
  `);
  await openConsole(page);
  const bottomOfSend = async () => {
    const box = await page.getByRole("button", { name: "Send" }).boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await expect.poll(bottomOfSend).toBeGreaterThan(700);
  const resize = (height: number) =>
    page.evaluate(
      `visualViewport.height = ${height}; visualViewport.dispatchEvent(new Event("resize"))`,
    );
  await resize(420);
  await expect.poll(bottomOfSend).toBeLessThanOrEqual(420);
  await image(page, "keyboard");
  await resize(844);
  await expect.poll(bottomOfSend).toBeGreaterThan(700);
  await page.context().close();
});

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
}

const built = join(platformRoot, "packages/console/dist");

/** The overlay's chunks: those that are there when it opens, or with `all` also what it may load later. */
async function overlayChunks(all: boolean): Promise<Map<string, Chunk>> {
  const text = await readFile(join(built, "manifest.json"), "utf8");
  const manifest = JSON.parse(text) as Record<string, Chunk>;
  const names = new Set(
    Object.keys(manifest).filter((name) => /(loader\.ts|overlay\.tsx)$/.test(name)),
  );
  for (const name of names) {
    const { imports = [], dynamicImports = [] } = manifest[name] ?? {};
    for (const other of [...imports, ...(all ? dynamicImports : [])]) names.add(other);
  }
  return new Map([...names].map((name) => [name, manifest[name] as Chunk]));
}

test("what loads before and when the console opens stays within its budget", async () => {
  const chunks = [...(await overlayChunks(false)).values()];
  const sizes = new Map<string, number>();
  for (const { file } of chunks) {
    sizes.set(file, (await readFile(join(built, `${file}.br`))).length);
  }
  const loader = [...sizes].find(([file]) => file.startsWith("loader"))?.[1] ?? Infinity;
  expect(loader).toBeLessThanOrEqual(1000);
  expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(90_000);
});

test("the overlay never loads anything of the admin shell", async () => {
  const chunks = await overlayChunks(true);
  expect(chunks.size).toBeGreaterThan(20);
  expect([...chunks.keys()].filter((name) => name.startsWith("src/admin/"))).toEqual([]);
  const codes = [...chunks.values()].map(({ file }) => readFile(join(built, file), "utf8"));
  // Chunks name each other by their files.
  const named = (await Promise.all(codes)).flatMap(
    (code) => code.match(/\/(?:manage|admin|\w+Page)-[\w-]{8}\.js/g) ?? [],
  );
  expect(named).toEqual([]);
});
