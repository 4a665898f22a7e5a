import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { type AdminClient, browserSession, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, type ModelStep, startModelServer } from "../support/model-server.ts";

const field = "Describe a change to this page";
const home = "app/src/content/home.json";
const widths = [390, 1440] as const;

let browser: Browser;
let instance: TestInstance;
let model: ModelServer;
/** The owner, signed in once: a link needs a process of its own. */
let client: AdminClient;
/** What the model does next; without anything left it says that it is done. */
let plan: ModelStep[] = [];

const done: ModelStep = { text: "Done.\n\nCommit: Change what was asked for" };

function edit(path: string, search: string, replace: string): ModelStep {
  return {
    calls: [
      { name: "read", input: { path } },
      { name: "edit", input: { path, search, replace } },
    ],
  };
}

beforeAll(async () => {
  const next = (): ModelStep => plan.shift() ?? done;
  [browser, model] = await Promise.all([
    launchBrowser(),
    startModelServer(Array.from({ length: 60 }, () => next)),
  ]);
  instance = await startInstance({
    apart: true,
    config: { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } },
  });
  client = await signIn(instance);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

async function openConsole(): Promise<{ page: Page; errors: string[] }> {
  // What a test that failed has left would be taken for the next one's.
  for (const { id } of await waitingRuns()) await client.post("/devconsole/discard", { runId: id });
  const { page, errors } = await openPage(browser, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    storageState: browserSession(client),
  });
  await page.goto(`${instance.baseUrl}/#console`);
  await page.getByLabel(field).waitFor();
  return { page, errors };
}

/** The runs that wait to be published, the newest first. */
async function waitingRuns(): Promise<Run[]> {
  const { data } = await client.get<{ items: Run[] }>("/devconsole/runs?perPage=20");
  return data.items.filter(({ status }) => status === "preview_ready");
}

/** The console at both widths, over a light and a dark page: nothing for axe, nothing overflows. */
async function look(page: Page, what: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    await page.emulateMedia({ colorScheme: themeAt(width) });
    const violations = await axe(page, { include: "vitrine-console" });
    // What is framed are whole pages of the site, twice: they are tested as such.
    const found = violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
    const overflow = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect([what, width, found, overflow]).toEqual([what, width, [], 0]);
    const dir = process.env["VITRINE_TEST_IMAGES"];
    if (dir !== undefined) await page.screenshot({ path: join(dir, `${what}-${width}.png`) });
  }
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const outcome = (page: Page, word: string) =>
  page.getByRole("status").getByText(word, { exact: true });
/** The page in the preview, once its script is there: what is clicked before that it doesn't hear. */
const framed = (page: Page, path: string) =>
  page
    .getByLabel("Page in the preview")
    .and(page.locator(`[value="${path}"]`))
    .waitFor();
const publicHome = async () => (await fetch(`${instance.baseUrl}/`)).text();

/** How long a run, its build and its checks may take, in ms. */
const timeoutMs = 120_000;

/** Has the model do the steps for an instruction, and waits until that is to be looked at. */
async function make(page: Page, steps: ModelStep[], instruction: string): Promise<void> {
  plan = [...steps];
  await page.getByLabel(field).fill(instruction);
  await page.keyboard.press("Control+Enter");
  // The field holds the text too, until it is sent; before that the bar is of the run before.
  const textarea = page.locator(".composer textarea");
  await eventually(async () => expect(await textarea.inputValue()).toBe(""));
  await page.getByText(instruction).first().waitFor();
  await outcome(page, "Preview ready").waitFor({ timeout: timeoutMs });
}

async function publish(page: Page): Promise<void> {
  await button(page, "Publish").click();
  await outcome(page, "Live").waitFor({ timeout: timeoutMs });
}

async function discard(page: Page): Promise<void> {
  await button(page, "Discard").click();
  await button(page, "Discard").last().click();
  await outcome(page, "Discarded").waitFor();
}

/** The texts of the log's entries, without times. */
async function logOf(page: Page): Promise<string[]> {
  const entries = await page.getByRole("log").getByRole("listitem").allInnerTexts();
  return entries.map((text) => text.replace(/\s*[\d.]+ (?:s|min)\b/g, "").trim());
}

test("a color that is too pale shows on the bar, can be handed back, and is not live", async () => {
  const { page, errors } = await openConsole();
  const evil = '<img src="/x" onerror="alert(1)"> \u001b[31mred\u001b[0m \u202Etxt.exe';
  const pale = { ...edit("app/src/styles/theme.css", "#4a5059, ", "#c8ccd2, "), text: evil };
  await make(page, [pale, done], "Make the small texts paler.");

  // abuse 69: HTML, ANSI and a turned order are shown as what they are.
  await page.getByText('<img src="/x" onerror="alert(1)"> red [U+202E]txt.exe').waitFor();
  expect(await page.getByRole("log").locator("img").count()).toBe(0);

  const card = page.getByRole("button", { name: /theme\.css \+1 −1/ });
  await card.click();
  await page.getByRole("region", { name: /Changes in .*theme\.css/ }).waitFor();
  const before = await logOf(page);
  await page.reload();
  await outcome(page, "Preview ready").waitFor();
  await card.waitFor();
  // What the record says is there before all that has happened has been told again.
  const kept = before.map((text) => text.split("\n@@")[0]);
  await eventually(async () => expect(await logOf(page)).toEqual(kept));

  const difference = page.getByRole("status").getByRole("button", { name: /new contrast error/ });
  await difference.click();
  await page.getByText("Error", { exact: true }).first().waitFor();
  await look(page, "findings");
  await button(page, "Fix this").first().click();
  expect(await page.getByLabel(field).inputValue()).toMatch(/^Fix this on \/.*contrast/i);
  await page.getByRole("button", { name: /1 file, \+1 −1, not live/ }).click();
  await page.getByLabel("Findings").waitFor({ state: "detached" });
  await page
    .getByRole("button", { name: /theme\.css \+1 −1/ })
    .last()
    .click();
  await look(page, "changed-files");
  await page.getByLabel(field).fill("");
  await discard(page);
  expect(errors).toEqual([]);
  await page.context().close();
}, 480_000);

test("preview and live site lie over each other, scroll in step, and who changed what is told", async () => {
  const { page } = await openConsole();
  const services = edit(
    "app/src/pages/index.astro",
    '<p class="muted">{service.text}</p>',
    '<p class="muted offer">{service.text}</p>',
  );
  const words = edit(home, '"See the work"', '"Look at the work"');
  await make(page, [words, services, done], "Let the button invite to look.");
  await page
    .getByRole("status")
    .getByRole("button", { name: /No new problems/ })
    .waitFor();

  const preview = page.frameLocator("iframe").first();
  await preview.getByRole("link", { name: "Resume", exact: true }).first().click();
  await framed(page, "/resume/");
  const pdf = preview.getByRole("link", { name: "Download as PDF" });
  const [saved] = await Promise.all([page.waitForEvent("download"), pdf.click()]);
  expect(saved.suggestedFilename()).toBe("resume.pdf");
  await preview.getByRole("link", { name: "Mara Lindqvist" }).first().click();
  await preview.getByRole("link", { name: "Look at the work" }).waitFor();
  await framed(page, "/");
  await button(page, "Compare with the live site").click();
  const live = page.frameLocator("iframe.live");
  await live.getByRole("link", { name: "See the work" }).waitFor();
  const slider = page.getByRole("slider");
  await slider.press("PageUp");
  expect(await slider.getAttribute("aria-valuenow")).toBe("60");
  const box = await slider.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 16, 400);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) - 184, 400, { steps: 20 });
  await page.mouse.up();
  await eventually(async () =>
    expect(Number(await slider.getAttribute("aria-valuenow"))).toBeLessThan(50),
  );
  await preview.locator("html").evaluate("scrollTo(0, 500)");
  await live.locator("html").evaluate(
    `new Promise((resolve) => {
      const look = () => (scrollY > 400 ? resolve(scrollY) : requestAnimationFrame(look));
      look();
    })`,
  );
  await look(page, "compare");

  await slider.press("End");
  await live.getByRole("link", { name: "Resume", exact: true }).first().click();
  await framed(page, "/resume/");
  const livePdf = live.getByRole("link", { name: "Download as PDF" });
  // The console's script in the page is there when that is whole.
  await livePdf.evaluate(
    `document.readyState === "complete" || new Promise((done) => addEventListener("load", () => done()))`,
  );
  const [shown] = await Promise.all([
    page.context().waitForEvent("response", (one) => one.url().endsWith(".pdf")),
    livePdf.click(),
  ]);
  expect(shown.url()).toBe(`${instance.baseUrl}/resume.pdf`);
  await page.getByRole("slider").press("Home");
  await preview.getByRole("link", { name: "Mara Lindqvist" }).first().click();
  await framed(page, "/");

  await preview.getByRole("link", { name: "All projects" }).click();
  await framed(page, "/projects/");
  await live.getByRole("heading", { level: 1 }).waitFor();
  await preview.locator("body").press("1");
  await page.getByRole("radio", { name: "Phone" }).and(page.locator(":checked")).waitFor();
  await preview.locator("body").press("Control+k");
  const find = page.getByRole("combobox", { name: /^Find/ });
  await find.press("Escape");
  // An open palette takes the next Escape, too.
  await find.waitFor({ state: "detached" });
  await preview.locator("body").press("Escape");
  await page.getByRole("slider").waitFor({ state: "detached" });
  await publish(page);

  await page.reload();
  await page.getByLabel(field).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Find/ }).fill("Who changed");
  await page.keyboard.press("Enter");
  const offer = page.locator("p.offer").first();
  await offer.scrollIntoViewIfNeeded();
  const place = await offer.boundingBox();
  await page.mouse.move((place?.x ?? 0) + 20, (place?.y ?? 0) + 10);
  await page.mouse.down();
  await page.mouse.up();
  const card = page.getByRole("region", { name: "Who changed this" });
  await card.getByText("Let the button invite to look.").waitFor();
  expect(await card.innerText()).toMatch(
    /Editor changed this[\s\S]*token[\s\S]*commit [0-9a-f]{7}/,
  );
  await look(page, "blame");
  await card.getByRole("button", { name: "Show the run" }).click();
  await page.getByRole("tab", { name: "History", selected: true }).waitFor();
  await page.getByRole("button", { name: /index\.astro \+1 −1/ }).waitFor();
  await page.context().close();
}, 480_000);

test("of two runs in the same place the second is told, and applied again on the new version", async () => {
  const { page } = await openConsole();
  const one = edit(home, '"Selected work"', '"Chosen work"');
  const other = edit(home, '"Selected work"', '"Favourite work"');
  await make(page, [one, done], "Call it chosen work.");
  await page.getByRole("radio", { name: "Start fresh" }).check();
  await make(page, [other, done], "Call it favourite work.");
  // As another tab would.
  const [, older] = await waitingRuns();
  expect(await client.post("/devconsole/publish", { runId: older?.id })).toMatchObject({
    ok: true,
  });
  await button(page, "Publish").click();
  const alert = page.getByRole("alert");
  await alert.getByText(home).waitFor();
  expect(await publicHome()).toContain("Chosen work");
  await look(page, "conflict");
  await page.reload();
  await alert.getByText(home).waitFor();
  plan = [edit(home, '"Chosen work"', '"Favourite work"'), done];
  await button(page, "Apply again to the new version").click();
  await page.getByText(/Applied again to the new version of the site/).click();
  await page.getByRole("log").getByText("Done.").waitFor();
  await outcome(page, "Preview ready").waitFor({ timeout: timeoutMs });
  await look(page, "applied-again");
  await publish(page);
  expect(await publicHome()).toContain("Favourite work");
  await page.context().close();
}, 480_000);

test("a run that the server's end has interrupted goes on from where it stood", async () => {
  const { page } = await openConsole();
  plan = [
    { text: "I begin.", ...edit(home, '"Latest changes"', '"News"') },
    { hang: true, text: "And" },
  ];
  await page.getByLabel(field).fill("Call the last part news.");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Call the last part news.").first().waitFor();
  await page.getByRole("button", { name: /home\.json \+1 −1/ }).waitFor();
  await instance.kill("runner");
  await instance.ready();
  await outcome(page, "Stopped").waitFor();
  await look(page, "interrupted");
  plan = [done];
  await button(page, "Continue").click();
  await page.getByRole("button", { name: /Continues from.*Call the last part news/ }).waitFor();
  await outcome(page, "Preview ready").waitFor({ timeout: timeoutMs });
  await page
    .getByRole("status")
    .getByText(/1 file, \+1 −1, not live/)
    .waitFor();
  await discard(page);
  expect(model.requests.at(-1)?.raw).toContain("Call the last part news.");

  plan = [{ hang: true }];
  await page.getByLabel(field).fill("Think for ever.");
  await page.keyboard.press("Control+Enter");
  await page.getByLabel("Send a message to the run").fill("Not for ever.");
  await button(page, "Send to the run").click();
  await page.getByRole("button", { name: /Withdraw “Not for ever/ }).waitFor();
  await button(page, "Stop").click();
  await outcome(page, "Stopped").waitFor();
  // What nobody has heard is not lost.
  await eventually(async () =>
    expect(await page.getByLabel(field).inputValue()).toBe("Not for ever."),
  );
  await button(page, "Retry").waitFor();
  await page.context().close();
}, 480_000);

test("one change is undone, a version is restored, and an ended session keeps the text", async () => {
  const { page } = await openConsole();
  await page.getByRole("tab", { name: "History" }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "Call it chosen work." });
  await entry.getByRole("button", { name: "Undo only this" }).click();
  await page.getByText(/Later changes stay/).waitFor();
  await look(page, "undo-asked");
  await page.getByRole("button", { name: "Undo this change" }).click();
  await outcome(page, "Failed").waitFor({ timeout: timeoutMs });
  await page
    .getByRole("status")
    .getByText(/later|conflict|same/i)
    .waitFor();

  await page.getByRole("tab", { name: "History" }).click();
  await entry.getByRole("button", { name: "Restore" }).click();
  await page.getByText(/1 later change will be undone/).waitFor();
  await page.getByRole("button", { name: "Restore this version" }).click();
  await outcome(page, "Live").waitFor({ timeout: timeoutMs });
  expect(await publicHome()).toContain("Chosen work");

  await page.getByRole("tab", { name: "History" }).click();
  const undo = page.getByRole("button", { name: "Undo only this" });
  await undo.first().waitFor();
  expect(await page.getByRole("button", { name: "Restore", exact: true }).count()).toBeLessThan(
    await undo.count(),
  );
  await look(page, "history");
  const first = page.getByRole("listitem").filter({ hasText: "Let the button invite to look." });
  await first.getByRole("button", { name: "Undo only this" }).click();
  await page.getByRole("button", { name: "Undo this change" }).click();
  await outcome(page, "Live").waitFor({ timeout: timeoutMs });
  const after = await publicHome();
  expect(after).toContain("See the work");
  expect(after).toContain("Chosen work");

  const cookies = await page.context().cookies();
  await page.getByLabel(field).fill("Kept while the session is not.");
  await page.context().clearCookies();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alertdialog", { name: "Your session has ended" }).waitFor();
  await look(page, "session-ended");
  await page.context().addCookies(cookies);
  await button(page, "I’ve signed in").click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  expect(await page.getByLabel(field).inputValue()).toBe("Kept while the session is not.");

  // A new password ends every session; whoever has it goes on where the text is.
  await instance.vitrine(["set-admin-password"], "a long enough password");
  await page.keyboard.press("Control+Enter");
  await page.getByLabel("Password", { exact: true }).fill("a long enough password");
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  expect(await page.getByLabel(field).inputValue()).toBe("Kept while the session is not.");

  // Over a link it is the pill that is dragged, and where it was left it is found again.
  await button(page, "Close the console").click();
  await page.evaluate(
    "document.body.innerHTML = \"<a href=/ style='position: fixed; inset: 0'>All of it</a>\"",
  );
  const launcher = page.locator("vitrine-console .pill");
  await launcher.hover();
  await page.mouse.down();
  await page.mouse.move(300, 200);
  await page.mouse.move(60, 60);
  await page.mouse.up();
  await expect.poll(() => launcher.boundingBox()).toMatchObject({ x: 12, y: 12 });
  await page.reload();
  await expect.poll(() => launcher.boundingBox()).toMatchObject({ x: 12, y: 12 });
  await page.context().close();
}, 480_000);
