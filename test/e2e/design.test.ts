import { useModel } from "../support/scripted-model.ts";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { makePhoto } from "../support/media-files.ts";
import { tempFolder } from "../support/temp.ts";

const password = "correct horse battery";
const brief =
  "Northwind runs 14 bakeries. In 2023 I made their ordering app as lead designer with Figma.";

/** What the scripted model gives: addresses of its own, and three things that nobody said. */
const record = {
  summary: "An ordering app for 14 bakeries.",
  lede: "Northwind orders bread before dawn.",
  body: "## What it was\n\nOrders rose by 45 % for Spotify.\n\nThe app is short.",
  kind: "Web app",
  period: "2023",
  role: "Lead designer",
  categories: [],
  stack: ["Figma"],
  skills: [{ group: "Design", items: ["Interfaces"] }],
  metrics: [{ value: "77 %", label: "fewer calls" }],
  gallery: [
    { caption: "The counter at dawn", alt: "A blue counter.", src: "https://evil.example/a.png" },
    { caption: "The list", alt: "A dark list.", src: "/media/2026/ffffffffffff-other.webp" },
    { caption: "Nothing", alt: "Nothing." },
  ],
};

let browser: Browser;
let instance: TestInstance;
let model: ModelServer;
let folder: Awaited<ReturnType<typeof tempFolder>>;
/** Lets the model answer that waits. */
const response = Promise.withResolvers<void>();

beforeAll(async () => {
  model = await startModelServer([
    async () => {
      await response.promise;
      return { calls: [{ name: "give_project", input: record }] };
    },
    async () => {
      await response.promise;
      return { calls: [{ name: "give_project", input: record }] };
    },
    {
      calls: [{ name: "give_draft", input: { summary: "Drafted.", lede: "", body: "New text." } }],
    },
  ]);
  [browser, instance, folder] = await Promise.all([launchBrowser(), startInstance(), tempFolder()]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
  await folder?.remove();
});

async function signIn(page: Page, to: string): Promise<void> {
  await page.goto(instance.baseUrl + to);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(instance.baseUrl + to);
}

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const framed = (page: Page): FrameLocator => page.frameLocator('iframe[title="The page"]');
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function expectNoAxe(page: Page): Promise<void> {
  const violations = await axe(page, { exclude: "iframe" });
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

async function start(page: Page, name: string): Promise<void> {
  await field(page, "Name").fill(name);
  await field(page, "Category").fill("Product");
  await page.keyboard.press("Enter");
  await field(page, "Prompt for the Web Designer").fill(brief);
  const files = await Promise.all([
    makePhoto(folder.path, "counter-at-dawn.jpg", { color: "#204060" }),
    makePhoto(folder.path, "order-list.jpg", { color: "#101020" }),
  ]);
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Upload files to the gallery").click();
  await (await chooser).setFiles(files);
}

test("without a model: an outline, said to be one, from the keyboard alone", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 844 } });
  await signIn(page, "/admin/projects/new");
  await button(page, "Build with Web Designer").click();
  await page
    .getByText(/^Couldn’t build the page: \d problems? to fix$/)
    .first()
    .waitFor();
  expect(await page.getByText(/Not saved|mistake/).count()).toBe(0);
  await field(page, "Name").fill("Northwind outline");
  await field(page, "Prompt for the Web Designer").fill(brief);
  await button(page, "Build with Web Designer").focus();
  await page.keyboard.press("Enter");
  await page.getByText("No model is set up. This outline uses your words.").waitFor();
  await eventually(async () =>
    expect(await page.locator(":focus").textContent()).toBe("Your page"),
  );
  await framed(page).getByRole("heading", { name: "Northwind outline" }).waitFor();
  await page.getByRole("radio", { name: "Fields" }).focus();
  await page.keyboard.press("Space");
  expect(await field(page, "Period").inputValue()).toBe("2023");
  expect(await field(page, "Role").inputValue()).toBe("Lead designer");
  expect(await page.getByRole("list", { name: "Chosen: Stack" }).textContent()).toContain("Figma");
  await expectNoAxe(page);
  await page.getByRole("button", { name: "Back to your brief" }).click();
  expect(await field(page, "Prompt for the Web Designer").inputValue()).toBe(brief);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("with a model: progress, the page beside its fields, what is not in the brief, created", async () => {
  await useModel(instance, model);
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await signIn(page, "/admin/projects/new");
  await start(page, "Northwind ordering");
  await button(page, "Build with Web Designer").click();
  const progress = page.getByRole("region", { name: "The Web Designer is working" });
  await progress.getByText("Looking at 2 images").waitFor();
  // It is said before the model is asked, and the script counts the questions.
  await eventually(() => expect(model.requests).toHaveLength(1));
  await progress.getByRole("button", { name: "Stop" }).click();
  await button(page, "Build with Web Designer").and(page.locator(":focus")).waitFor();
  expect(await field(page, "Prompt for the Web Designer").inputValue()).toBe(brief);
  response.resolve();
  await button(page, "Build with Web Designer").click();

  const flags = page.locator(".notice", { hasText: "3 things aren’t in your brief" });
  await flags.waitFor();
  const frame = framed(page);
  await frame.getByText("Northwind orders bread before dawn.").waitFor();
  await expectNoAxe(page);
  await flags.getByRole("button", { name: "77 % in Metrics 1" }).click();
  await eventually(async () => expect(await page.locator(":focus").inputValue()).toBe("77 %"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("14");
  await page.getByText("2 things aren’t in your brief").waitFor();
  // A change of a field shows on the page, a change on the page stands in its field.
  await frame.getByText("14", { exact: true }).waitFor();
  // A new build of the page may be shown before it is told that it can be written in.
  await eventually(async () => {
    const sheets = await frame.locator("body").evaluate("document.adoptedStyleSheets.length");
    expect(sheets).toBe(1);
  });
  await frame.getByText("Northwind orders bread before dawn.").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Bread is ordered at night.");
  await eventually(async () =>
    expect(await field(page, "Lede").inputValue()).toBe("Bread is ordered at night."),
  );
  await button(page, "Keep “45 %”").click();

  await page.reload();
  await page.getByText("Your unsaved draft is back").waitFor();
  await page.getByText("1 thing isn’t in your brief").waitFor();
  await button(page, "Create and publish").click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("Create the project with 1 thing that isn’t in your brief?").waitFor();
  await dialog.getByRole("button", { name: "Create and publish" }).click();
  await page.waitForURL(/\/admin\/projects\/edit\?id=\d+/);

  const id = new URL(page.url()).searchParams.get("id");
  const stored = await page.request.get(`${instance.baseUrl}/api/adminprojects/get?id=${id}`);
  const { data } = (await stored.json()) as { data: ProjectDetail };
  expect(data).toMatchObject({
    status: "published",
    slug: "northwind-ordering",
    lede: "Bread is ordered at night.",
    categories: ["Product"],
    metrics: [{ value: "14", label: "fewer calls" }],
    brief,
  });
  expect(data.gallery).toEqual([
    {
      src: expect.stringMatching(/^\/media\/\d{4}\/[0-9a-f]{12}-counter-at-dawn\.jpg$/),
      caption: "The counter at dawn",
      alt: "A blue counter.",
    },
    {
      src: expect.stringMatching(/^\/media\/\d{4}\/[0-9a-f]{12}-order-list\.jpg$/),
      caption: "The list",
      alt: "A dark list.",
    },
  ]);

  await button(page, "Draft summary, lede and text").click();
  await page.getByText("These fields already have your text: Summary, Text.").waitFor();
  await button(page, "Replace mine").click();
  expect(await field(page, "Summary").inputValue()).toBe("Drafted.");
  await button(page, "Undo").click();
  expect(await field(page, "Summary").inputValue()).toBe(record.summary);
  expect(errors).toEqual([]);
  await page.context().close();
});
