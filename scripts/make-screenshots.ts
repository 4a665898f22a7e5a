import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { chromium as tool, findTool } from "../packages/server/src/platform/system-tools.ts";
import { startInstance, type TestInstance } from "../test/support/instance.ts";
import { ensureConsole } from "./console-build.ts";
import { type ScreenRecording, startScreenRecording } from "./screenshots/screen-recording.ts";
import {
  type EditorScript,
  makeMistakes,
  openContext,
  startScreenshotModel,
  taskInstructions,
} from "./screenshots/scripted-model.ts";

/*
 * Makes the README's images and its video of the main job, of a fresh instance whose model follows a
 * script over the real protocol:
 *
 *     npm run screenshots [-- site video editor tasks qa]
 *
 * What is shown and for how long is decided here, so that a busy machine makes the same video.
 */

const folder = join(platformRoot, "docs/images");
const wide = { width: 1440, height: 900 };
/** Tall enough to show some of the work below the claim. */
const tall = { width: 1440, height: 1200 };
/** The video's size: the README shows it unscaled. */
const frame = { width: 1200, height: 750 };
const maxStillBytes = 120_000;
const maxVideoBytes = 2_000_000;

async function launch(): Promise<Browser> {
  const executablePath = await findTool(tool);
  if (executablePath === null) throw new Error("Chromium is not installed.");
  const args = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"];
  return chromium.launch({ executablePath, args });
}

/** Saves an image as a WebP below the size limit, with the best quality possible. */
async function keep(name: string, image: Buffer): Promise<void> {
  for (const quality of [86, 80, 72, 62, 50]) {
    const data = await sharp(image).webp({ quality, effort: 6, smartSubsample: true }).toBuffer();
    if (data.length > maxStillBytes && quality > 50) continue;
    await writeFile(join(folder, `${name}.webp`), data);
    console.error(`${name}.webp: ${Math.round(data.length / 1000)} kB`);
    return;
  }
}

const snap = async (name: string, page: Page) => keep(name, await page.screenshot());

const boxOf = async (page: Page, name: string | RegExp) => {
  const button = page.getByRole("button", { name, exact: true }).first();
  await button.waitFor();
  const box = await button.boundingBox();
  if (!box) throw new Error(`There is no button ${name} to point at.`);
  return { button, box };
};

/** What the parts of the video work with. */
interface Scene {
  page: Page;
  record: ScreenRecording;
  job: EditorScript;
  /** Moves the pointer to a button and presses it. */
  press(name: string | RegExp): Promise<void>;
}

const hasMessage = (page: Page, words: string) => () =>
  page.getByRole("status").getByText(words, { exact: true }).isVisible();

/** Waits for animations to finish. */
const settle = (page: Page) => page.waitForTimeout(1200);

/** Opens the console, types, and follows the run until its preview is there. */
async function recordAsking({ page, record: recording, job, press }: Scene): Promise<void> {
  await settle(page);
  await recording.pause(1100);
  await press(/^Console/);
  const field = page.getByLabel("Describe a change to this page");
  await field.waitFor();
  await settle(page);
  await recording.pause(500);
  for (const letters of job.instruction.match(/.{1,3}/g) ?? []) {
    await field.pressSequentially(letters);
    await recording.pause(75);
  }
  await recording.pause(500);
  await press("Send");
  await recording.watch(hasMessage(page, "Preview ready"), 170, 26);
  await recording.pause(900);
}

/** An image of the console alone, in a larger window. */
async function snapConsole(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await settle(page);
  await snap("console", page);
  await page.setViewportSize(frame);
  await settle(page);
}

/** Looks at the preview, and lays it over the live page. */
async function recordComparing({ page, record: recording, job, press }: Scene): Promise<void> {
  await press("Preview");
  const preview = page.frameLocator("iframe").first();
  await preview.getByRole("heading", { name: job.heading }).waitFor();
  await settle(page);
  await recording.pause(1300);
  await press(/^Compare/);
  const slider = page.getByRole("slider");
  await slider.waitFor();
  await settle(page);
  const handle = await slider.boundingBox();
  if (!handle) throw new Error("There is no slider.");
  await recording.pointAt(handle);
  await page.mouse.down();
  const y = handle.y + handle.height / 2;
  await recording.dragTo({ x: handle.x + 210, y }, 7, 70);
  await recording.dragTo({ x: handle.x - 230, y }, 12, 70);
  await page.mouse.up();
  await recording.pause(600);
}

/** Publishes, and shows the live page, finally without the console. */
async function recordPublishing({ page, record: recording, job, press }: Scene): Promise<void> {
  await press("Publish");
  await recording.watch(hasMessage(page, "Live"), 170, 8);
  await recording.pause(700);
  await page.reload();
  await page.getByRole("heading", { name: job.heading }).waitFor();
  await settle(page);
  await recording.pause(1200);
  await press("Close the console");
  await settle(page);
  await recording.pause(2800);
}

/** The main job, from the launcher to the changed page. */
async function makeVideo(
  browser: Browser,
  instance: TestInstance,
  job: EditorScript,
): Promise<void> {
  const { context, page } = await openContext(browser, frame);
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/`);
  const recording = await startScreenRecording(page, { x: 700, y: 420 });
  const press = async (name: string | RegExp) => {
    const { button, box } = await boxOf(page, name);
    await recording.pointAt(box);
    await button.click();
  };
  const scene = { page, record: recording, job, press };
  await recordAsking(scene);
  await snapConsole(page);
  await recordComparing(scene);
  await recordPublishing(scene);
  await context.close();
  await saveVideo(recording);
}

async function saveVideo(recording: ScreenRecording): Promise<void> {
  for (const quality of [88, 80, 72, 62, 50, 38]) {
    const data = await recording.encode(1200, quality);
    if (data.length > maxVideoBytes && quality > 38) continue;
    await writeFile(join(folder, "main-job.webp"), data);
    const seconds = (recording.length() / 1000).toFixed(1);
    console.error(
      `main-job.webp: ${Math.round(data.length / 1000)} kB, ${seconds} s, q ${quality}`,
    );
    return;
  }
}

/** The public site as its visitors see it. */
async function makeSiteStills(browser: Browser, instance: TestInstance): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const { context, page } = await openContext(browser, tall, { colorScheme });
    await page.goto(`${instance.baseUrl}/`, { waitUntil: "networkidle" });
    await page.waitForTimeout(1500);
    await snap(`home-${colorScheme}`, page);
    await context.close();
  }
  const phone = { width: 390, height: 844 };
  const { context, page } = await openContext(browser, phone, { deviceScaleFactor: 2 });
  await page.goto(`${instance.baseUrl}/projects/`, { waitUntil: "networkidle" });
  const first = page
    .locator('main a[href^="/projects/"]:not([href="/projects/"]):not([href*="/category/"])')
    .first();
  await page.goto(new URL((await first.getAttribute("href")) ?? "/", instance.baseUrl).href);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(1500);
  await snap("phone", page);
  await context.close();
}

/** A signed-in page at an address of the admin pages. */
async function openAdmin(browser: Browser, instance: TestInstance, path: string, size = wide) {
  const opened = await openContext(browser, size);
  await opened.page.goto(await instance.link());
  await opened.page.goto(instance.baseUrl + path, { waitUntil: "networkidle" });
  return opened;
}

/** The task board, after the agent has worked through the tasks. */
async function makeBoardStill(browser: Browser, instance: TestInstance): Promise<void> {
  const { context, page } = await openAdmin(browser, instance, "/admin/tasks");
  for (const ask of taskInstructions) {
    await page.getByRole("button", { name: "New task" }).first().click();
    await page.getByRole("textbox", { name: "What to do" }).fill(ask);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  const cards = (name: string) =>
    page
      .getByRole("region", { name: new RegExp(name) })
      .getByRole("link")
      .count();
  for (let done = 0; done < taskInstructions.length;) {
    await page.waitForTimeout(500);
    const counts = await Promise.all(["Needs review", "Published", "Reverted"].map(cards));
    done = counts.reduce((sum, count) => sum + count, 0);
  }
  const close = page.getByRole("button", { name: "Close the details" });
  if (await close.isVisible()) await close.click();
  await settle(page);
  await snap("tasks", page);
  await context.close();
}

/** The editor of the first project. */
async function makeEditorStill(browser: Browser, instance: TestInstance): Promise<void> {
  const { context, page } = await openAdmin(browser, instance, "/admin/projects");
  await page.locator('main a[href^="/admin/projects/"]:not([href$="/new"])').first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  await snap("editor", page);
  await context.close();
}

/** The QA page for a site with a few defects. */
async function makeQaStill(browser: Browser, instance: TestInstance): Promise<void> {
  await makeMistakes(instance);
  const { context, page } = await openAdmin(browser, instance, "/admin/qa", tall);
  const again = page.getByRole("button", { name: "Run now" }).first();
  await again.click();
  await again.waitFor({ state: "detached" });
  await again.waitFor();
  await settle(page);
  await snap("qa", page);
  await context.close();
}

async function main(): Promise<void> {
  ensureConsole();
  await mkdir(folder, { recursive: true });
  await using model = await startScreenshotModel();
  const config = {
    model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url },
    qa: { autofix: false, intervalMinutes: 0 },
  };
  await using instance = await startInstance({ config, warm: true });
  const job = await model.prepare(instance);
  const browser = await launch();
  try {
    const parts = {
      site: () => makeSiteStills(browser, instance),
      film: () => makeVideo(browser, instance, job),
      editor: () => makeEditorStill(browser, instance),
      tasks: () => makeBoardStill(browser, instance),
      qa: () => makeQaStill(browser, instance),
    };
    const wanted = process.argv.slice(2);
    for (const [name, make] of Object.entries(parts)) {
      if (wanted.length === 0 || wanted.includes(name)) await make();
    }
  } finally {
    await browser.close();
  }
}

await main();
