import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  await deleteAllSources();
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

/** Also the starter sources of a new instance. */
async function deleteAllSources(): Promise<void> {
  const admin = await signIn(instance);
  const { data } = await admin.get<{ items: { id: number }[] }>("/api/adminsources/list");
  for (const { id } of data.items) await admin.post("/api/adminsources/delete", { id });
}

async function open(width: number, colorScheme: "light" | "dark" = "light") {
  const opened = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
  await opened.page.goto(await instance.link());
  await opened.page.goto(`${instance.baseUrl}/admin/sources`);
  await opened.page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
  return opened;
}

/** Retry that works leaves the page: the heading of the part that it was in has the focus then. */
async function expectFocusHandedOn(page: Page): Promise<void> {
  const response = { status: 500, json: { ok: false, data: null, error: { code: "internal" } } };
  const focused = "document.activeElement.tagName + document.activeElement.innerText";
  for (const [path, heading] of [
    ["sources", "H1Sources"],
    ["settings", "H2Site owner"],
  ] as const) {
    const asked = /\/api\/admin(sources|settings\/owner)/;
    await page.route(asked, (route) => route.fulfill(response), { times: 1 });
    await page.goto(`${instance.baseUrl}/admin/${path}`);
    await page.getByRole("button", { name: "Retry" }).press("Enter");
    await expect.poll(() => page.evaluate(focused)).toBe(heading);
  }
}

test("sources are added, reordered, turned off, and deleted, at any width in both themes", async () => {
  const { page, errors } = await open(1440);
  await page.getByText("Give agents a style guide").waitFor();
  const dialog = page.getByRole("dialog", { name: "Add a source" });
  for (const title of ["Style guide", "A page we like"]) {
    await page.getByRole("button", { name: "Add a source" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter a name.").waitFor();
    await dialog.getByLabel("Name").fill(title);
    await dialog.getByLabel("For").selectOption({ label: "Editor" });
    await dialog.getByLabel("Address").fill("https://example.com/style");
    await dialog.getByLabel("What to follow").fill("Short sentences.");
    // What was typed is not lost by a key.
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
  }
  const editor = page.getByRole("region", { name: "Editor" });
  const names = editor.getByRole("heading", { level: 3 });
  expect(await names.allTextContents()).toEqual(["Style guide", "A page we like"]);

  await editor.getByRole("button", { name: "Move “A page we like” up" }).click();
  await page.getByText("“A page we like” is number 1 of 2.").waitFor();
  // What is said of it comes before the list is drawn.
  await eventually(async () =>
    expect(await names.allTextContents()).toEqual(["A page we like", "Style guide"]),
  );

  await editor.getByRole("button", { name: "Turn off “Style guide”" }).click();
  await editor.getByText("Off. Agents don’t see it.").waitFor();

  await editor.getByRole("button", { name: "Delete “Style guide”" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await editor.getByText("Off. Agents don’t see it.").waitFor({ state: "detached" });
  expect(await names.allTextContents()).toEqual(["A page we like"]);
  expect(errors).toEqual([]);
  await expectFocusHandedOn(page);

  for (const width of [390, 1440]) {
    for (const scheme of ["light", "dark"] as const) {
      const other = await open(width, scheme);
      await other.page.getByRole("region", { name: "Editor" }).waitFor();
      const violations = await axe(other.page);
      expect(violations.map(({ id }) => id)).toEqual([]);
      const wide = await other.page.evaluate("document.documentElement.scrollWidth");
      expect(wide).toBeLessThanOrEqual(width);
      expect(other.errors).toEqual([]);
      await other.page.close();
    }
  }
});

test("an instance without sources gets the starter sources with one button", async () => {
  await deleteAllSources();
  const { page, errors } = await open(1440);
  const starters = page.getByRole("button", { name: "Add starter sources" });
  await starters.press("Enter");
  for (const kind of ["All agents", "Editor", "Web Designer", "Drafter", "QA"]) {
    await page.getByRole("region", { name: kind }).waitFor();
  }
  expect(await starters.count()).toBe(0);
  expect(await page.getByRole("button", { name: "Add a source" }).count()).toBe(1);
  expect(errors).toEqual([]);
});
