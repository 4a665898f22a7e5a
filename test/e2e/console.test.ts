import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { startModelServer } from "../support/model-server.ts";
import { useModel } from "../support/scripted-model.ts";

const password = "correct horse battery";
let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  // What is found is what a test brings.
  const config = { qa: { intervalMinutes: 0 } };
  [browser, instance] = await Promise.all([launchBrowser(), startInstance({ config })]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

async function signIn(page: Page): Promise<void> {
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: /Welcome/ }).waitFor();
}

test("sign-in, a failed sign-in, and sign-out work without JavaScript", async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/admin\?e=1$/);
  expect(await page.getByRole("alert").textContent()).toMatch(/\S/);
  await signIn(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  const me = await page.request.get(`${instance.baseUrl}/api/adminauth/me`);
  expect(me.status()).toBe(401);
  await page.context().close();
});

test("a visitor gets no trace of the console, and the admin's page is private", async () => {
  const visitor = await fetch(`${instance.baseUrl}/`);
  expect(await visitor.text()).not.toMatch(/\/admin\/|devconsole/);
  expect(visitor.headers.get("etag")).toMatch(/^"/);
  const { page } = await openPage(browser);
  await signIn(page);
  const response = await page.goto(`${instance.baseUrl}/`);
  expect(response?.headers()).toMatchObject({ "cache-control": "private, no-store" });
  expect(response?.headers()["etag"]).toBeUndefined();
  expect(await page.content()).toContain("/admin/assets/loader");
  await page.context().close();
});

test("an edit is made and published by keyboard only", async () => {
  const { page } = await openPage(browser);
  await page.goto(`${instance.baseUrl}/admin`);
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Welcome/ }).waitFor();
  await page.goto(`${instance.baseUrl}/`);
  await page.getByRole("button", { name: "Console" }).waitFor();
  await page.keyboard.press("Control+.");
  const field = page.getByLabel("Describe a change to this page");
  await field.and(page.locator(":focus")).waitFor();
  await page.keyboard.type('replace "Start a project" with "Begin a project"');
  await page.keyboard.press("Control+Enter");
  await page.getByRole("status").getByText("Preview ready", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).waitFor();
  for (let presses = 0; presses < 30; presses += 1) {
    const focused = await page.evaluate<string>(
      `document.querySelector("vitrine-console")?.shadowRoot?.activeElement?.textContent ?? ""`,
    );
    if (focused === "Publish") break;
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  expect(await (await fetch(`${instance.baseUrl}/`)).text()).toContain("Begin a project");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /console/i }).waitFor();
  await page.context().close();
});

test("free text without a model is refused before it is sent, and the text stays", async () => {
  const { page, errors } = await openPage(browser);
  await signIn(page);
  const newest = async () => {
    const response = await page.request.get(`${instance.baseUrl}/devconsole/runs?perPage=1`);
    return ((await response.json()) as { data: { total: number } }).data.total;
  };
  const before = await newest();
  await page.goto(`${instance.baseUrl}/about/#console`);
  const field = page.getByLabel("Describe a change to this page");
  await field.fill("Make this page friendlier");
  await page.getByText(/only exact instructions work/).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "Free text needs a language model" });
  await refusal.waitFor();
  expect(await refusal.getByRole("link").getAttribute("href")).toBe("/admin/settings#model");
  expect([await field.inputValue(), await newest()]).toEqual(["Make this page friendlier", before]);
  await page.getByRole("radio", { name: "Ask" }).check();
  await page.getByText(/^Questions need a language model\./).waitFor();
  expect(errors.filter((text) => !text.includes("503"))).toEqual([]);
  await page.context().close();
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test.each([390, 1440])("axe finds nothing at %d px, and nothing overflows", async (width) => {
    const { page, errors } = await openPage(browser, {
      viewport: { width, height: 844 },
      colorScheme,
      reducedMotion: "reduce",
    });
    const look = async (what: string) => {
      const violations = await axe(page);
      expect([what, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([what, []]);
      const overflow = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([what, overflow]).toEqual([what, 0]);
    };
    await page.goto(`${instance.baseUrl}/admin?e=1`);
    await look("sign-in");
    await signIn(page);
    await look("panel");
    await page.goto(`${instance.baseUrl}/about/#console`);
    await page.getByLabel("Describe a change to this page").waitFor();
    await look("console");
    await page.getByRole("tab", { name: "History" }).click();
    await look("history");
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

test("the closed console's launcher shows what waits and what is wrong, and updates automatically", async () => {
  await instance.vitrine(["setting", "set", "tasks"], '{"paused":true}');
  const { run } = await instance.vitrine(["qa-start", "--program", "Logos"]);
  const finding = { check: "house.logo", severity: "error", page: "/", message: "It is old." };
  const id = String((run as { id: number }).id);
  await instance.vitrine(["qa-finish", id], JSON.stringify([finding]));
  const { page, errors } = await openPage(browser);
  await signIn(page);
  await page.goto(`${instance.baseUrl}/about/`);
  const launcher = page.locator("vitrine-console .pill");
  await launcher.getByText("1 QA error", { exact: true }).waitFor();
  const created = await page.request.post(`${instance.baseUrl}/api/admintasks/create`, {
    data: { instruction: "Say hello" },
    headers: { origin: instance.baseUrl },
  });
  expect(created.status()).toBe(201);
  // In a tab that is open all the while, too.
  await launcher.getByText("1 task queued · 1 QA error", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Open the console: 1 task queued · 1 QA error" }).click();
  await page.getByRole("tab", { name: "Tasks", selected: true }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a refused API key is reported with a link to the model's settings", async () => {
  const model = await startModelServer([{ status: 401 }]);
  try {
    await useModel(instance, model);
    const { page } = await openPage(browser);
    await signIn(page);
    await page.goto(`${instance.baseUrl}/about/#console`);
    await page.getByLabel("Describe a change to this page").fill("Make this page friendlier");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page
      .getByText(/The model provider refused the API key\./)
      .first()
      .waitFor();
    const link = page.getByRole("link", { name: "Settings → Model" }).first();
    expect(await link.getAttribute("href")).toBe("/admin/settings#model");
    // It can be sent again as it was once the key is right.
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await page.getByText("Make this page friendlier").first().waitFor();
    await page.context().close();
  } finally {
    await model.close();
  }
});
