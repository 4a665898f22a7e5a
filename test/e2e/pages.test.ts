import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  instance = await startInstance({ config: { qa: { intervalMinutes: 0 } } });
});
afterEach(() => instance?.[Symbol.asyncDispose]());

/** The pages form at these pages, by the owner's link. */
async function openPages(query = "", width = 1440): Promise<Page> {
  const viewport = { width, height: 900 };
  const { page } = await openPage(browser, { viewport, colorScheme: themeAt(width) });
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/admin/pages${query}`);
  return page;
}

const live = (path: string) => readFile(join(instance.paths.current, path), "utf8");

async function buildPreview(page: Page, button = "Build preview"): Promise<void> {
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.getByTitle("Preview of your site").waitFor({ timeout: 120_000 });
}

async function publish(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Publish site" }).click();
  await page.getByText("Your site is live.").waitFor({ timeout: 60_000 });
}

test("texts, hidden pages and services, and the navigation go live from the pages form", async () => {
  const { page, errors } = await openPage(browser, {
    viewport: { width: 390, height: 844 },
    colorScheme: themeAt(390),
  });
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/admin/pages`);
  await page.getByRole("link", { name: "Services", exact: true }).last().click();
  await page.getByLabel("Lead", { exact: true }).fill("Work that I take on.");
  await page.getByLabel("Title", { exact: true }).fill("What I offer");
  await page.getByLabel("Description", { exact: true }).fill("Two ways to work together.");
  await page.getByRole("group", { name: "Care" }).getByLabel("Hidden").check();
  await page.getByLabel("Show About").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move Contact up" }).focus();
  await page.keyboard.press("Enter");
  await page.reload();
  expect(await page.getByLabel("Lead", { exact: true }).inputValue()).toBe("Work that I take on.");
  expect(await axe(page)).toEqual([]);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(390);

  await page.getByLabel("Title", { exact: true }).fill(" ");
  await page.getByRole("button", { name: "Build preview" }).click();
  await page.getByText("Can’t be empty.").waitFor();
  await page.getByLabel("Title", { exact: true }).fill("What I offer");
  await page.getByRole("button", { name: "Build preview" }).click();
  await page.getByTitle("Preview of your site").waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "Publish site" }).click();
  await page.getByText("Your site is live.").waitFor({ timeout: 60_000 });

  const read = (path: string) => readFile(join(instance.paths.current, path), "utf8");
  const services = await read("services/index.html");
  expect(services).toContain("Work that I take on.");
  expect(services).toContain("<title>What I offer · ");
  expect(services).toContain('content="Two ways to work together."');
  expect(services).not.toContain("Care</h2>");
  const home = await read("index.html");
  expect(home).not.toContain("/about/");
  const links = [...home.matchAll(/<a href="(\/(?:projects|services|resume|contact)\/)"/g)];
  expect([...new Set(links.map(([, href]) => href))].slice(0, 4)).toEqual([
    "/projects/",
    "/services/",
    "/resume/",
    "/contact/",
  ]);
  await expect(read("about/index.html")).rejects.toThrow(/ENOENT/);
  // The browser notes the empty title that was refused, and nothing else.
  expect(errors).toEqual([expect.stringContaining("status of 422")]);
}, 300_000);

test("share images are chosen, pages deleted, and the navigation reordered in one preview", async () => {
  const audit = "app/src/pages/services/brand-audit.astro";
  await writeFile(join(instance.paths.content, audit), "<h1>Brand audits</h1>\n");
  await instance.git("add", audit);
  const author = ["-c", "user.name=Mara", "-c", "user.email=mara@example.com"];
  await instance.git(...author, "commit", "--quiet", "--message", "A page without content");
  const page = await openPages("?page=website-design&project=field-notes-for-rangers");
  const choose = async (index: number): Promise<void> => {
    await page.getByRole("button", { name: "Choose share image" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Choose a share image" });
    await dialog.getByLabel("Search the library").fill("field-");
    await dialog.locator(".library-choice").nth(index).click();
    await dialog.getByRole("button", { name: "Use it" }).click();
  };
  // Of the page, then of the project: a page with an image offers to replace it.
  await choose(0);
  await choose(1);
  await page.getByRole("button", { name: "Replace share image" }).nth(1).waitFor();
  await page.getByLabel("What the share image shows").first().fill("Four buttons in a field");
  expect(await axe(page)).toEqual([]);

  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("This page can’t be deleted. Every site needs a home page.").waitFor();
  await page.getByRole("link", { name: "Thanks", exact: true }).click();
  await page.getByText("Visitors see it after they send a message.").waitFor();
  // A page without a content file has no form, but can be deleted like the others.
  await page.getByRole("link", { name: "Brand audit", exact: true }).click();
  await page.getByText("so there’s no form for them").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Delete page" }).click();
  await page.getByRole("alertdialog").getByText("pages/services/brand-audit.astro").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete page" }).click();
  for (const name of ["Contact", "Resume"]) {
    await page.getByRole("link", { name, exact: true }).last().click();
    await page.getByRole("heading", { name, exact: true, level: 2 }).waitFor();
    await page.getByRole("button", { name: "Delete page" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText(`pages/${name.toLowerCase()}.astro`).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete page" }).click();
  }
  expect(await page.getByText("Will be deleted", { exact: true }).count()).toBe(3);

  await page.getByRole("link", { name: "Services", exact: true }).last().click();
  await page.getByRole("button", { name: "Remove Product design" }).click();
  const service = page.getByRole("alertdialog", { name: "Delete the service “Product design”?" });
  await service.getByRole("button", { name: "Delete service" }).click();

  const grip = page.getByRole("button", { name: "Drag Services" });
  await grip.scrollIntoViewIfNeeded();
  const from = await grip.boundingBox();
  const to = await page.getByRole("button", { name: "Drag Projects" }).boundingBox();
  if (!from || !to) throw new Error("The navigation isn't there.");
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y - 20, { steps: 5 });
  await page.mouse.move(to.x + 10, to.y - 10, { steps: 10 });
  await page.mouse.up();
  const grips = page.locator(".pages-navigation").getByRole("button", { name: /^Drag / });
  await expect.poll(() => grips.first().getAttribute("aria-label")).toBe("Drag Services");

  await buildPreview(page);
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  await publish(page);
  const head = await live("services/website-design/index.html");
  expect(head).toContain('property="og:image:alt" content="Four buttons in a field"');
  expect(head).toMatch(/property="og:image" content="http[^"]+\/media\/\d{4}\/[^"]*field-[^"]*"/);
  expect(head).toMatch(/property="og:image:width" content="1[26]00"/);
  expect(await live("projects/field-notes-for-rangers/index.html")).toMatch(
    /property="og:image" content="http[^"]+\/media\//,
  );
  const home = await live("index.html");
  expect(home).not.toMatch(/href="\/(?:contact|resume)\//);
  expect(home.indexOf('href="/services/"')).toBeLessThan(home.indexOf('href="/projects/"'));
  expect(await live("services/index.html")).not.toContain("Product design</h2>");
  for (const gone of ["contact/index.html", "contact/thanks/index.html", "resume/index.html"]) {
    await expect(live(gone)).rejects.toThrow(/ENOENT/);
  }
  await page.getByRole("link", { name: "Resume", exact: true }).waitFor({ state: "detached" });
  const sources = await instance.git("ls-tree", "-r", "--name-only", "HEAD", "app/src/pages");
  expect(sources).not.toContain("brand-audit");
  await page.context().close();
}, 300_000);

test("changes are kept until they have a preview, and a page that has changed is compared by field", async () => {
  const [content, file] = [instance.paths.content, "app/src/content/about.json"];
  const source = join(content, "app/src/pages/about.astro");
  const [about, astro] = [
    await readFile(join(content, file), "utf8"),
    await readFile(source, "utf8"),
  ];
  const commit = async (path: string, text: string): Promise<void> => {
    await writeFile(path, text);
    const author = ["-c", "user.name=Mara", "-c", "user.email=mara@example.com"];
    await instance.git(...author, "commit", "--quiet", "--all", "--message", "By hand");
  };
  const page = await openPages("?page=about", 390);
  await page.getByLabel("Lead", { exact: true }).fill("My own lead.");
  await page.getByLabel("Heading", { exact: true }).fill("My own heading.");
  await page.getByLabel("Facts heading", { exact: true }).fill("My facts.");
  // A source that can't be built: the run fails, and nothing that was typed is lost.
  await commit(source, astro.replace("---\n\n<Page", "const broken = ;\n---\n\n<Page"));
  await page.getByRole("button", { name: "Build preview" }).click();
  await page.getByText("Couldn’t build the preview.").waitFor({ timeout: 120_000 });
  await page.reload();
  await page.getByText("Couldn’t build the preview.").waitFor();
  expect(await page.getByLabel("Lead", { exact: true }).inputValue()).toBe("My own lead.");

  await commit(source, astro);
  const theirs = JSON.parse(about) as Record<string, unknown>;
  Object.assign(theirs, { lead: "Their lead.", heading: "Their heading.", title: "Me" });
  await commit(join(content, file), `${JSON.stringify(theirs, null, 2)}\n`);
  await page.getByRole("button", { name: "Build preview" }).click();
  const stale = page.getByRole("region", { name: /has changed since you opened it/ });
  await stale.getByRole("group", { name: "Lead" }).getByText("Their lead.").waitFor();
  expect(await stale.getByRole("group").count()).toBe(2);
  expect(await axe(page)).toEqual([]);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(390);
  await stale.getByRole("group", { name: "Heading" }).getByLabel("Use theirs").check();
  await buildPreview(page, "Build preview with your choices");
  await publish(page);
  const html = await live("about/index.html");
  expect(html).toContain("My own lead.");
  expect(html).toContain("Their heading.");
  expect(html).toContain('aria-label="My facts."');
  expect(html).toContain("<title>Me · ");
  await page.context().close();
}, 300_000);
