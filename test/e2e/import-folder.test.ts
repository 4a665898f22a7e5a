import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { tempFolder } from "../support/temp.ts";

let browser: Browser;
let instance: TestInstance;
let temp: Awaited<ReturnType<typeof tempFolder>>;

beforeAll(async () => {
  [browser, instance, temp] = await Promise.all([
    launchBrowser(),
    startInstance({ config: { qa: { intervalMinutes: 0 } } }),
    tempFolder(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await temp?.remove();
});

async function imageBytes(color: string): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 48, channels: 3, background: color } })
    .png()
    .toBuffer();
}

/** A site for Hugo as people have it: TOML, bundles, shortcodes, a blog, what agents are told. */
async function laySite(): Promise<string> {
  const files: Record<string, string | Buffer> = {
    "hugo.toml": 'baseURL = "https://example.org/"\nlanguageCode = "en"\n',
    "README.md": "# My site\n",
    "AGENTS.md": "# For agents\n",
    "archetypes/default.md": "---\ntitle: x\n---\n",
    "content/_index.md": "---\ntitle: Home\n---\n",
    "content/projects/_index.md": "---\ntitle: Projects\n---\n",
    "content/projects/harbour/index.md": `+++\ntitle = "Harbour signs"\ndate = 2024-05-04\n+++\nBefore.\n\n{{< figure src="gate.png" alt="The gate" caption="At night" >}}\n`,
    "content/projects/harbour/gate.png": await imageBytes("#135"),
    "content/projects/harbour/cover.png": await imageBytes("#531"),
    "content/projects/clinic.md": `---\ntitle: Clinic\nimage: images/clinic.png\n---\n<p>Some <b>words</b>.</p>\n`,
    "content/projects/broken.md": "---\ntitle: [x\n---\n",
    "content/posts/hello.md": "---\ntitle: Hello\n---\nA post.\n",
    "static/images/clinic.png": await imageBytes("#153"),
    "static/images/broken.png": (await imageBytes("#355")).subarray(0, 60),
    "node_modules/x/readme.md": "# x\n",
    "data/projects.ts":
      'export const projects = [\n  { title: "Ferry", description: "A timetable", image: "/images/ferry.svg" },\n  { title: "Clinic", description: "In short" },\n];\n',
    "static/images/ferry.svg":
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9" height="9"/></svg>\n',
  };
  for (const [path, data] of Object.entries(files)) {
    const file = join(temp.path, "my-site", path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, data);
  }
  return join(temp.path, "my-site");
}

async function isSound(page: Page): Promise<void> {
  expect(await axe(page)).toEqual([]);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

/** Chooses the folder as an owner does, and waits for its plan. */
async function openPlan(site: string, width: number) {
  const { page, errors } = await openPage(browser, {
    viewport: { width, height: 900 },
    colorScheme: themeAt(width),
  });
  await page.goto(await instance.link());
  await page.goto(new URL("/admin/projects", page.url()).href);
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByRole("button", { name: "Choose a folder" }).waitFor();
  await isSound(page);
  await page.getByLabel("Folder", { exact: true }).setInputFiles(site);
  await page.getByText("Found 2 projects in a Hugo folder.").waitFor();
  await page.getByRole("button", { name: "Left out" }).click();
  await page.getByText(/broken\.md.*isn't valid YAML/).waitFor();
  await isSound(page);
  const study = (name: RegExp) => page.getByRole("checkbox", { name });
  return { page, errors, study };
}

test("importing a site's folder in the browser gives drafts with images", async () => {
  const site = await laySite();
  const first = await openPlan(site, 390);
  const { page, study } = first;
  const checked = [study(/Harbour signs/), study(/Hello/)].map((each) => each.isChecked());
  expect(await Promise.all(checked)).toEqual([true, false]);
  // By keyboard: one less, and one that was only proposed.
  await study(/Clinic/).focus();
  await page.keyboard.press("Space");
  await study(/Hello/).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Import 2 projects as drafts" }).click();
  await page.getByText("Imported 2 projects with 2 images").waitFor();
  await isSound(page);
  // Nothing of the upload stays.
  expect(await readdir(join(instance.dir, "data/import-uploads"))).toEqual([]);
  await page.getByRole("link", { name: "See projects" }).click();
  await page.getByText("Harbour signs").waitFor();
  expect(await page.getByText("Clinic", { exact: true }).count()).toBe(0);
  await page.close();

  // What is there is named and stays; the rest comes.
  const second = await openPlan(site, 1440);
  expect(await second.study(/Harbour signs/).isDisabled()).toBe(true);
  // A project of a list, with a drawing.
  expect(await second.study(/Ferry/).isChecked()).toBe(false);
  await second.study(/Ferry/).focus();
  await second.page.keyboard.press("Space");
  await second.page.getByRole("button", { name: "Import 2 projects as drafts" }).click();
  await second.page.getByText("Imported 2 projects with 2 images").waitFor();
  expect([...first.errors, ...second.errors]).toEqual([]);
  await second.page.close();
});

test("a file that isn't an archive is refused with an explanation and changes nothing", async () => {
  const { page } = await openPage(browser, { viewport: { width: 390, height: 844 } });
  await page.goto(await instance.link());
  await page.goto(new URL("/admin/import", page.url()).href);
  const file = { name: "x.zip", mimeType: "application/zip", buffer: Buffer.from("no archive") };
  await page.getByLabel("ZIP file or JSON Resume").setInputFiles(file);
  await page.getByText("This isn't a ZIP archive, or it is damaged.").waitFor();
  await page.getByRole("button", { name: "Choose a folder" }).waitFor();
  expect(await readdir(join(instance.dir, "data/import-uploads"))).toEqual([]);
  await page.close();
});
