import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { type AdminClient, browserSession, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { makeVideo, makePhoto } from "../support/media-files.ts";
import { tempFolder } from "../support/temp.ts";

const desktop = { viewport: { width: 1440, height: 900 } };
let browser: Browser;
/** The owner, signed in once. */
let client: AdminClient;
let instance: TestInstance;
let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeAll(async () => {
  [browser, instance, folder] = await Promise.all([launchBrowser(), startInstance(), tempFolder()]);
  client = await signIn(instance);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await folder?.remove();
});

/** A page of the console in a context of its own, where the owner is signed in. */
async function openAdmin(path: string, options: BrowserContextOptions = desktop) {
  const opened = await openPage(browser, { ...options, storageState: browserSession(client) });
  await opened.page.goto(instance.baseUrl + path);
  return opened;
}

/** The public page at a path, once `test` holds for it, on all nodes if there are several. */
function live(path: string, holds: (html: string) => boolean): Promise<string> {
  return eventually(async () => {
    let html = "";
    for (let node = 0; node < instance.nodes.length; node += 1) {
      const response = await fetch(instance.baseUrl + path);
      html = await response.text();
      expect([path, response.status, holds(html)]).toEqual([path, 200, true]);
    }
    return html;
  }, 120_000);
}

/** Lets the runner stand still: all that is saved until it goes on goes live in one rebuild. */
const holdRebuilds = () => instance.signal("runner", "SIGSTOP");
const releaseRebuilds = () => instance.signal("runner", "SIGCONT");

async function save(page: Page): Promise<void> {
  await page.keyboard.press("Control+s");
  await rail(page)
    .getByText(/^Saved/)
    .waitFor();
}

const sources = (html: string): string[] =>
  [...html.matchAll(/\/media\/\d{4}\/[0-9a-f]{12}-([a-z-]+)\.jpg/g)].map(([, name = ""]) => name);

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

const rail = (page: Page) => page.getByRole("complementary", { name: "Saving and publishing" });

const image = (page: Page, n: number) => page.getByRole("listitem", { name: `Image ${n}:` });

async function createWithImages(page: Page): Promise<void> {
  await field(page, "Name").fill("Lantern Walk");
  await field(page, "Category").fill("Identity");
  await page.keyboard.press("Enter");
  await field(page, "Description draft").fill("Forty lanterns, one night, no map.");
  await field(page, "Prompt for the Web Designer").fill("Stress the weather.");
  const files = await Promise.all([
    makePhoto(folder.path, "dusk.jpg", { color: "#204060" }),
    makePhoto(folder.path, "night.jpg", { color: "#101020" }),
    makeVideo(folder.path, "procession.mp4"),
  ]);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files to the gallery" }).click();
  await (await chooser).setFiles(files);
  await image(page, 3).waitFor();
  await page.getByRole("button", { name: "Save as draft" }).click();
  await page.waitForURL(/\/admin\/projects\/edit\?id=\d+/);
}

describe("a case study, from nothing to its live page", () => {
  // Also when a test has failed.
  afterEach(releaseRebuilds);

  test("it is created with images and a video, previewed privately, and published", async () => {
    const { page, errors } = await openAdmin("/admin/projects/new");
    await holdRebuilds();
    await createWithImages(page);
    await releaseRebuilds();
    expect((await fetch(`${instance.baseUrl}/projects/lantern-walk/`)).status).toBe(404);

    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await page.getByRole("button", { name: "Show the preview" }).click();
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Lantern Walk" }).waitFor();
    await page.keyboard.press("Escape");
    expect((await fetch(`${instance.baseUrl}/projects/lantern-walk/`)).status).toBe(404);

    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const html = await live("/projects/lantern-walk/", (text) => text.includes("Lantern Walk"));
    expect(html).toContain("Forty lanterns, one night, no map.");
    expect(html).not.toContain("Stress the weather.");
    expect(sources(html)).toEqual(expect.arrayContaining(["dusk", "night"]));
    const video = /\/media\/\d{4}\/[0-9a-f]{12}-procession\.mp4/.exec(html)?.[0] ?? "";
    expect((await fetch(instance.baseUrl + video)).headers.get("content-type")).toBe("video/mp4");
    await live("/projects/category/identity/", (text) => text.includes("Lantern Walk"));
    await live("/sitemap-0.xml", (text) => text.includes("/projects/lantern-walk/"));

    const tree = await instance.git("ls-tree", "-r", "--name-only", "main");
    expect(tree).toMatch(/app\/public\/media\/\d{4}\/[0-9a-f]{12}-dusk-800\.webp/);
    expect(await instance.git("show", "main:database/projects.json")).toContain("Lantern Walk");
    expect(await instance.git("status", "--porcelain")).toBe("");
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("editing, reordering, replacing, and removing update the live page", async () => {
    const { page, errors } = await openAdmin("/admin/projects");
    await page.getByRole("link", { name: "Edit Lantern Walk" }).click();
    await holdRebuilds();
    await field(page, "Summary").fill("A night walk for four hundred people.");
    await field(page, "Instagram link").fill("https://www.instagram.com/reel/CxLantern/");
    await page.getByRole("button", { name: "Add a card" }).click();
    await field(page, "Value").fill("412");
    await field(page, "Label").fill("people walked");
    await page.getByRole("button", { name: "Move image 2 up" }).click();
    await image(page, 1).getByLabel("Caption").fill("After nightfall");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Replace image 2 with a file" }).click();
    await (
      await chooser
    ).setFiles(
      await makePhoto(folder.path, "embers.jpg", { color: "#c04010", width: 900, height: 1200 }),
    );
    await image(page, 2).getByRole("progressbar").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove image 3" }).click();
    await field(page, "Address").fill("night-walk");
    await save(page);
    await releaseRebuilds();
    const html = await live("/projects/night-walk/", (text) => text.includes("people walked"));
    expect(html).toContain("After nightfall");
    expect([...new Set(sources(html))]).toEqual(["night", "embers"]);
    expect(html).not.toContain("procession");
    expect(html).toContain('href="https://www.instagram.com/reel/CxLantern/"');
    expect(html).toContain("Lantern Walk");
    const old = await fetch(`${instance.baseUrl}/projects/lantern-walk/`, { redirect: "manual" });
    expect([old.status, old.headers.get("location")]).toEqual([301, "/projects/night-walk/"]);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe("saves that go live together", () => {
  beforeAll(holdRebuilds);
  // Also when a test has failed.
  afterAll(releaseRebuilds);

  test("a conflict between two edits keeps both texts, and the owner decides", async () => {
    const list = await client.get<{ items: ProjectDetail[] }>("/api/adminprojects/list?q=shelf");
    const [project] = list.data.items;
    if (!project) throw new Error("the sample has a shelf");
    const { page: mine } = await openAdmin(`/admin/projects/edit?id=${project.id}`);
    await field(mine, "Summary").fill("Mine: a shelf that knows what is back.");
    await field(mine, "Role").fill("Everything");
    const other = { id: project.id, version: project.version, summary: "Theirs.", period: "2031" };
    expect((await client.post("/api/adminprojects/save", other)).ok).toBe(true);
    await mine.keyboard.press("Control+s");
    await mine.getByRole("heading", { name: "Someone else saved this project" }).waitFor();
    expect(await field(mine, "Summary").inputValue()).toMatch(/^Mine/);
    await mine
      .getByRole("group", { name: /^Summary/ })
      .getByLabel("Keep yours")
      .check();
    await mine.getByRole("button", { name: "Save choices" }).click();
    await rail(mine)
      .getByText(/^Saved/)
      .waitFor();
    const saved = await client.get<ProjectDetail>(`/api/adminprojects/get?id=${project.id}`);
    expect(saved.data).toMatchObject({
      summary: "Mine: a shelf that knows what is back.",
      role: "Everything",
      period: "2031",
    });
    await mine.context().close();
  });

  test("errors appear at their fields, and unsaved texts survive leaving the page", async () => {
    const { page } = await openAdmin("/admin/projects/edit?id=1");
    const link = field(page, "Instagram link");
    await link.fill("https://example.com/reel/1");
    await page.keyboard.press("Control+s");
    await eventually(async () => expect(await link.getAttribute("aria-invalid")).toBe("true"));
    await eventually(async () =>
      expect(await page.locator(":focus").getAttribute("name")).toBe("reelUrl"),
    );
    await page.getByRole("link", { name: "Media" }).click();
    await page.getByRole("alertdialog").waitFor();
    await page.keyboard.press("Escape");
    expect(await link.inputValue()).toBe("https://example.com/reel/1");
    await page.context().close();
  });

  test("media: a file dropped twice is one item, and a drawing is refused with the reason", async () => {
    const { page } = await openAdmin("/admin/media");
    const photo = await makePhoto(folder.path, "harbour.jpg", { color: "#3080a0" });
    const drawing = {
      name: "logo.png",
      mimeType: "image/png",
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      ),
    };
    for (const files of [photo, photo, drawing]) {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Upload files" }).click();
      await (await chooser).setFiles(files);
    }
    await page.getByText(/SVG/).first().waitFor();
    await page.getByText("It was already in the library.").waitFor();
    const items = page.getByRole("heading", { name: "harbour.jpg" });
    await items.first().waitFor();
    expect(await items.count()).toBe(1);
    await page.context().close();
  });

  test("the list's order is the site's order, and visitors see an entry added to the changelog", async () => {
    const { page } = await openAdmin("/admin/projects", {});
    const names = () => page.getByRole("heading", { level: 2 }).allTextContents();
    const before = await eventually(async () => {
      const found = await names();
      expect(found.length).toBeGreaterThan(6);
      return found;
    });
    await page.getByRole("button", { name: `Move ${before[1]} up` }).click();
    await eventually(async () => expect((await names())[0]).toBe(before[1]));
    await page.reload();
    await eventually(async () => expect((await names())[0]).toBe(before[1]));

    await page.goto(`${instance.baseUrl}/admin/changelog`);
    await page.getByRole("button", { name: "Add an entry" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Kind").fill("content");
    await dialog.getByLabel("Title").fill("Three lanterns more");
    // Half a date is not taken for none.
    await dialog.getByLabel("Time").pressSequentially("11");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter both the date and the time, or clear both.").waitFor();
    await dialog.getByLabel("Time").press("Backspace");
    await dialog.getByRole("button", { name: "Save" }).click();
    await releaseRebuilds();
    const html = await live("/changelog/", (text) => text.includes("Three lanterns more"));
    expect(html).toContain("by Mara Lindqvist");
    await live("/projects/", (text) => {
      return text.indexOf(before[1] ?? "") < text.indexOf(before[0] ?? "");
    });
    await page.context().close();
  });
});

const pages = ["projects", "projects/edit?id=1", "projects/new", "media", "changelog"];

test("no page of the records has axe findings or overflow, at any width in both themes", async () => {
  const { page, errors } = await openAdmin("/admin", {
    viewport: { width: 1440, height: 844 },
    reducedMotion: "reduce",
  });
  for (const path of pages) {
    await page.goto(`${instance.baseUrl}/admin/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme: themeAt(width) });
      const violations = await axe(page);
      const overflow = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      const found = violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
      expect([path, width, found, overflow]).toEqual([path, width, [], 0]);
    }
    expect([path, errors]).toEqual([path, []]);
  }
  await page.context().close();
});
