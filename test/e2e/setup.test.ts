import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  readContentFiles,
  readShippedProjects,
} from "../../packages/server/src/features/setup/content-files.ts";
import { samplePhrases } from "../../packages/server/src/features/setup/sample-phrases.ts";
import { templateDir } from "../../packages/server/src/platform/paths.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt, saveImages } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

const password = "correct horse battery";
let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([
    launchBrowser(),
    startInstance({ config: { qa: { intervalMinutes: 0 } } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** Moves the focus on by Tab, as who has no pointer does, until it is on what carries the name. */
async function tabTo(
  page: Page,
  role: "textbox" | "button" | "link" | "radio",
  name: string | RegExp,
): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).and(page.locator(":focus"));
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await wanted.count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab doesn't reach ${role} ${name}.`);
}

async function type(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, "textbox", name);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

async function press(page: Page, role: "button" | "link", name: string): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press("Enter");
}

async function step(page: Page, title: string): Promise<void> {
  await page.getByRole("heading", { level: 2, name: title }).waitFor();
  expect(await axe(page)).toEqual([]);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

test("a new instance becomes a live site without any sample text, by keyboard at 390 px", async () => {
  const { page, errors } = await openPage(browser, {
    viewport: { width: 390, height: 844 },
    colorScheme: themeAt(390),
  });
  await page.goto(await instance.link());
  await press(page, "link", "Start the setup");
  await page.getByRole("heading", { name: "Choose a password" }).waitFor();
  await type(page, "New password", password);
  await page.keyboard.press("Enter");

  await step(page, "Start");
  await press(page, "button", "Start");
  await step(page, "You");
  await press(page, "button", "Save and continue");
  await page.getByText("Enter your name or your studio’s.").waitFor();
  await type(page, "Name", "Ada Byron");
  await type(page, "What you do (optional)", "Analyst");
  await type(page, "Email address for visitors (optional)", "nobody");
  await page.keyboard.press("Enter");
  await page.getByText("must be an email address", { exact: false }).waitFor();
  await type(page, "Email address for visitors (optional)", "ada@example.org");
  await page.keyboard.press("Enter");

  // It is left here, and continued later on another page load, where it was.
  await step(page, "Portrait and text");
  await page.goto(`${instance.baseUrl}/admin`);
  const open = page.getByRole("region", { name: "Finish setting up" });
  expect(await open.getByRole("listitem").allTextContents()).toEqual([
    "Add a portrait and a text about yourself",
    "List your services, or say that there are none",
    "Choose a theme",
    "Choose a language model, or work without",
    "Set up email",
    "Replace the sample by publishing your site",
  ]);
  await press(page, "link", "Continue setup");
  await step(page, "Portrait and text");
  await type(page, "About you (optional)", "I write programs.");
  await press(page, "button", "Save and continue");
  await step(page, "Services");
  await press(page, "button", "Back");
  await step(page, "Portrait and text");
  await press(page, "button", "Skip");
  await step(page, "Services");
  await press(page, "button", "Add service");
  await type(page, "Price (optional)", "£20");
  await press(page, "button", "Save and continue");
  await page.getByText("Enter a name for this service, or remove it.").waitFor();
  await type(page, "Name", "Notes on engines");
  await press(page, "button", "Save and continue");
  await step(page, "Theme");
  await tabTo(page, "radio", /^Ink/);
  await page.keyboard.press("ArrowDown");
  await tabTo(page, "radio", /^Theme default/);
  await page.keyboard.press("ArrowDown");
  await press(page, "button", "Save and continue");
  await step(page, "Model");
  await press(page, "button", "Continue without a model");
  await step(page, "Email");
  await press(page, "button", "Set up email later");
  await step(page, "Preview and publish");
  await page.getByText(/^Headings and labels that aren’t from your answers \(\d+\)$/).click();
  const home = page.getByRole("region", { name: "Home" });
  await home.getByText("Write me an email, or use the form.").waitFor();
  expect(await page.getByText(/site’s language is/).count()).toBe(0);
  await saveImages(page, "setup-publish");
  await press(page, "button", "Build preview");
  const preview = page.frameLocator("iframe[title='Preview of your site']");
  await preview.getByRole("heading", { level: 1, name: "Ada Byron" }).waitFor();
  await press(page, "button", "Publish site");
  await page.getByText("Your site is live.").waitFor();

  const phrases = samplePhrases(
    await readContentFiles(templateDir),
    await readShippedProjects(templateDir),
  ).filter((phrase) => phrase.length >= 12);
  const root = instance.paths.current;
  const names = await readdir(root, { recursive: true });
  for (const name of names.filter((file) => /\.(?:html|txt|xml|json)$/.test(file))) {
    const text = (await readFile(join(root, name), "utf8")).replaceAll("&amp;", "&");
    expect([name, phrases.filter((phrase) => text.includes(phrase))]).toEqual([name, []]);
    expect([name, /Mara|Lindqvist|Gothenburg|€/.exec(text)?.[0]]).toEqual([name, undefined]);
  }
  await page.goto(`${instance.baseUrl}/services/`);
  await page.getByText("£20").waitFor();
  const html = page.locator("html");
  expect([await html.getAttribute("data-look"), await html.getAttribute("data-accent")]).toEqual([
    "kiln",
    "cobalt",
  ]);
  await page.goto(`${instance.baseUrl}/admin`);
  expect(await open.getByRole("listitem").allTextContents()).toEqual(["Set up email"]);
  await press(page, "button", "Hide this list");
  await open.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("heading", { name: "Welcome to Ada Byron’s site" }).waitFor();
  expect(await open.count()).toBe(0);
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
  await page.context().close();
});

test("the portrait step asks for alt text and keeps it", async () => {
  const { page } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Welcome/ }).waitFor();
  await page.goto(`${instance.baseUrl}/admin/setup?step=about`);
  await step(page, "Portrait and text");
  await page
    .locator("input[data-upload]")
    .setInputFiles(join(templateDir, "app/public/images/share.png"));
  await page.getByLabel("What the portrait shows").waitFor();
  await page.getByRole("button", { name: "Save and continue" }).click();
  await page.getByText("Say in a few words what the image shows.").waitFor();
  await page.getByLabel("What the portrait shows").fill("Ada at her desk.");
  await page.getByRole("button", { name: "Save and continue" }).click();
  await step(page, "Services");
  await page.goto(`${instance.baseUrl}/admin/setup?step=about`);
  await page.getByText("A portrait is chosen.").waitFor();
  expect(await page.getByLabel("What the portrait shows").inputValue()).toBe("Ada at her desk.");
  await page.goto(`${instance.baseUrl}/admin/setup?step=publish`);
  await page.getByRole("button", { name: "Build preview" }).click();
  const preview = page.frameLocator("iframe[title='Preview of your site']");
  await preview.getByRole("link", { name: "About", exact: true }).first().click();
  await preview.getByRole("img", { name: "Ada at her desk." }).waitFor();
  await page.context().close();
});
