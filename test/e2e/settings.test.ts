import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { eventually } from "../support/eventually.ts";
import { callTool, hasImage, describeImage } from "../support/vision-model.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, type SeenRequest, startModelServer } from "../support/model-server.ts";

const key = "sk-canary-of-the-settings";
let browser: Browser;
let instance: TestInstance;
let model: ModelServer;
let session: Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Two models behind one key: one that can all, one that sees nothing. */
async function response(request: SeenRequest) {
  if (!String(request.headers["authorization"]).includes(key)) return { status: 401 };
  if (request.tools.length > 0) return callTool(request);
  if (hasImage(request) && request.body["model"] !== "blind") return describeImage(request);
  return { text: "I see nothing." };
}

beforeAll(async () => {
  [browser, instance, model] = await Promise.all([
    launchBrowser(),
    startInstance(),
    startModelServer(Array.from({ length: 40 }, () => response)),
  ]);
  const context = await browser.newContext();
  await (await context.newPage()).goto(await instance.link());
  session = await context.storageState();
  await context.close();
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

async function openSettings(width: number): Promise<{ page: Page; errors: string[] }> {
  const opened = await openPage(browser, {
    viewport: { width, height: 900 },
    storageState: session,
  });
  await opened.page.goto(`${instance.baseUrl}/admin/settings`);
  await opened.page.getByRole("form", { name: "Email" }).waitFor();
  return opened;
}

const field = (page: Page, name: string) => form(page, "Model").getByLabel(name, { exact: true });
const form = (page: Page, name: string) => page.getByRole("form", { name });

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save and test" }).click();
}

test("a model is chosen, tested, and refused, and its budget is limited", async () => {
  const { page, errors } = await openSettings(1440);
  await page.getByText("No model is set up.").waitFor();
  await page.getByRole("radio", { name: "Another server" }).check();

  await save(page);
  await page.getByText("Enter the model’s name.").waitFor();
  await eventually(async () =>
    expect(await page.locator(":focus").getAttribute("name")).toBe("id"),
  );

  await field(page, "Model").fill("able");
  await field(page, "Address").fill(model.url);
  await field(page, "Key (if the server asks for one)").fill(key);
  await field(page, "Input").fill("3");
  await field(page, "Output").fill("15");
  await field(page, "Currency").fill("eur");
  await save(page);
  await page.getByText("It answers, calls tools and sees images.").waitFor();
  const abilities = page.getByRole("list", { name: "What the model can do" });
  await abilities.getByText("Sees images").waitFor();
  await page.getByText("A key is saved.").waitFor();
  expect(await page.content()).not.toContain(key);

  // The kept key goes along with another model of the same server; that one is blind.
  await field(page, "Model").fill("blind");
  await save(page);
  await page.getByText("It didn't recognize what a test image shows.").waitFor();
  await abilities.getByText("Can’t see images").waitFor();
  await abilities.getByText("it can change the site").waitFor();

  await field(page, "Model").fill("able");
  await field(page, "Key (if the server asks for one)").fill("sk-wrong");
  await save(page);
  const refusal = page.getByRole("alert").filter({ hasText: "Nothing was changed." });
  await refusal.getByText("The model provider refused the API key.").waitFor();
  await page.reload();
  await page.getByText("In use: blind").waitFor();
  expect(await field(page, "Model").inputValue()).toBe("blind");

  const budgets = form(page, "Budgets");
  const day = budgets.getByRole("group", { name: "Each day" });
  await day.getByLabel("Token limit").fill("100 000");
  await budgets
    .getByRole("group", { name: "Each month" })
    .getByLabel(/Spending limit/)
    .fill("0");
  await budgets.getByRole("button", { name: "Save budgets" }).click();
  await budgets.getByText("Enter an amount above 0, or leave it blank.").waitFor();
  await budgets
    .getByRole("group", { name: "Each month" })
    .getByLabel(/Spending limit/)
    .fill("20");
  await budgets.getByRole("button", { name: "Save budgets" }).click();
  await budgets.getByText("Saved", { exact: true }).waitFor();
  const meter = day.getByRole("meter", { name: "Tokens spent today" });
  expect(await meter.getAttribute("aria-valuetext")).toMatch(/^\d{3} of 100,000 tokens$/);
  expect(await day.getByLabel("Token limit").inputValue()).toBe("100,000");
  // What was refused along the way is in the network's own words in the log.
  expect(errors.filter((error) => !error.includes("502"))).toEqual([]);
  expect(instance.log()).not.toContain(key);
  await page.context().close();
});

test("email is set up without showing its password, and a test says where it was sent", async () => {
  const { page, errors } = await openSettings(1440);
  const email = form(page, "Email");
  await email.getByLabel("Your address").fill("owner@example.org");
  await email.getByLabel("Sender").fill("Site <site@example.org>");
  await email.getByRole("button", { name: "Save email settings" }).click();
  await email.getByText("Saved", { exact: true }).waitFor();
  await email.getByRole("button", { name: "Send test email" }).click();
  await email
    .getByText("No email provider is set up, so the test email was written to the log.")
    .waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test.each([390, 1440])("axe finds nothing at %d px, and nothing overflows", async (width) => {
  const { page, errors } = await openSettings(width);
  await form(page, "Email").getByLabel("Host").fill("mail.example.org");
  await form(page, "Email").getByLabel("Provider", { exact: true }).selectOption("mailgun");
  await save(page);
  // Not while it is asked: what is looked at would change meanwhile.
  await page.getByText("It didn't recognize what a test image shows.").waitFor();
  await page.emulateMedia({ colorScheme: themeAt(width) });
  const violations = await axe(page);
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  expect(errors).toEqual([]);
  await page.context().close();
});
