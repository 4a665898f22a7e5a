import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import type {
  Snapshot,
  SnapshotMedia,
} from "../../packages/server/src/features/release/snapshot.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { buildTemplate, makeLive, sampleSnapshot } from "./template-site.ts";
import { testWorkers } from "../support/workers.ts";

let folder: TempFolder;
let app: AppServer;
let url: string;
let browser: Browser;

/** A video of two seconds, like those that an upload is made into, with its still. */
async function makeVideo(site: string, name: string, width: number, height: number) {
  const [src, poster] = [`/media/2026/${name}.mp4`, `/media/2026/${name}-poster.jpg`];
  const size = `testsrc2=size=${width}x${height}:rate=25:duration=2`;
  const options = { env: { PATH: "/usr/bin:/bin" } };
  const encode = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"];
  for (const output of [
    [...encode, join(site, src)],
    ["-frames:v", "1", join(site, poster)],
  ]) {
    const made = await run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", size, ...output],
      options,
    );
    expect(made.stderr).toBe("");
  }
  const shown = { src, poster, width, height, kind: "video" as const };
  return { ...shown, caption: "", alt: "", placeholder: null, variants: [] };
}

/** The sample with videos as the cover and among the images of its first project. */
async function withVideos(site: string): Promise<Snapshot> {
  const snapshot = await sampleSnapshot();
  const [project, ...others] = snapshot.projects;
  if (!project) throw new Error("The sample has no project.");
  const wide = await makeVideo(site, "0123456789ab-wide", 1280, 720);
  const upright = await makeVideo(site, "0123456789ab-upright", 720, 1280);
  const gallery: SnapshotMedia[] = [
    { ...wide, alt: "The field log on a tablet", caption: "Two seconds of it." },
    ...project.gallery.slice(1, 2),
    { ...upright, caption: "On a telephone" },
    { ...upright, poster: null },
  ];
  return { ...snapshot, projects: [{ ...project, slug: "film", gallery }, ...others] };
}

beforeAll(async () => {
  folder = await tempFolder();
  const videos = join(folder.path, "films");
  await mkdir(join(videos, "media/2026"), { recursive: true });
  const { site } = await buildTemplate(join(folder.path, "build"), await withVideos(videos));
  await cp(videos, site, { recursive: true });
  const paths = await makeLive(site, folder.path);
  const log = pino({ level: "silent" });
  app = createHttpServer({ log, name: "test", secure: false });
  registerSite(app, { workers: testWorkers, ...openSiteFiles(paths), log });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await folder?.remove();
});

/** How far the page's parts have moved by themselves (Layout Instability, W3C). */
const shiftOf = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      resolve(list.getEntries().reduce((sum, entry) => sum + entry.value, 0));
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(0), 300);
  })`);

interface Box {
  width: number;
  height: number;
  right: number;
}

describe.each([
  [390, "light"],
  [390, "dark"],
  [1440, "light"],
  [1440, "dark"],
] as const)("videos on a case study at %d px, %s", (width, colorScheme) => {
  test("videos play, have names, stay within their boxes, and load nothing before", async () => {
    const viewport = { width, height: width === 390 ? 844 : 900 };
    const { page, errors } = await openPage(browser, { viewport, colorScheme });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    // A font that comes late moves the text by a trace, which is none of the films' doing.
    await page.route("**/*.woff2", (route) => route.fulfill({ body: "" }));
    await page.goto(`${url}/projects/film/`, { waitUntil: "networkidle" });
    expect(requests.filter((path) => path.endsWith(".mp4"))).toEqual([]);
    expect(requests).toContain("/media/2026/0123456789ab-wide-poster.jpg");
    const videos = page.locator("video");
    const names = await videos.evaluateAll((all) => all.map((video) => video.ariaLabel));
    expect(names).toEqual(["The field log on a tablet", "On a telephone", "Film"]);
    const boxes = await videos.evaluateAll((all) =>
      all.map((video) => video.getBoundingClientRect().toJSON() as Box),
    );
    expect(boxes[0]?.width).toBeCloseTo((boxes[0]?.height ?? 0) * (16 / 9), 0);
    for (const box of boxes) {
      expect(box.right).toBeLessThanOrEqual(width);
      expect(box.height).toBeLessThanOrEqual(viewport.height * 0.85 + 1);
      expect(box.height).toBeGreaterThan(150);
    }
    for (const index of [0, 1]) {
      const video = videos.nth(index);
      await video.scrollIntoViewIfNeeded();
      await video.focus();
      await page.keyboard.press("Space");
      const now = (name: string) => video.evaluate((element, of) => Reflect.get(element, of), name);
      await expect.poll(() => now("currentTime"), { timeout: 30_000 }).toBeGreaterThan(0.2);
      expect(await now("muted")).toBe(true);
    }
    expect(
      await videos.evaluateAll((all) => all.map((video) => video.getBoundingClientRect().height)),
    ).toEqual(boxes.map(({ height }) => height));
    expect(await shiftOf(page)).toBe(0);
    const violations = await axe(page);
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(errors).toEqual([]);
    if (process.env["PICTURES"]) {
      await page.screenshot({
        path: join(process.env["PICTURES"], `film-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
    await page.context().close();
  });
});

test("a card of a project with a video shows its poster", async () => {
  const { page, errors } = await openPage(browser);
  await page.goto(`${url}/projects/`);
  const cover = page.locator('article:has(a[href="/projects/film/"]) img');
  expect(await cover.getAttribute("src")).toBe("/media/2026/0123456789ab-wide-poster.jpg");
  expect(await page.locator("video").count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
