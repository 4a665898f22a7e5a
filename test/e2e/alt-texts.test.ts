import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { flatPng } from "../support/image-bytes.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { makePhoto } from "../support/media-files.ts";
import { tempFolder } from "../support/temp.ts";

const password = "correct horse battery";
let browser: Browser;
let instance: TestInstance;
let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeAll(async () => {
  [browser, instance, folder] = await Promise.all([launchBrowser(), startInstance(), tempFolder()]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await folder?.remove();
});

async function signIn(page: Page, to: string): Promise<void> {
  await page.goto(instance.baseUrl + to);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(instance.baseUrl + to);
}

/** Files with these names and colors: the same bytes would be the same stored image. */
async function upload(page: Page, button: string, images: Record<string, string>): Promise<void> {
  const files = await Promise.all(
    Object.entries(images).map(([name, color]) => makePhoto(folder.path, name, { color })),
  );
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button, exact: true }).click();
  await (await chooser).setFiles(files);
}

test("an upload asks for alt text, which is missing until it is described or marked as decorative", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 844 } });
  await signIn(page, "/admin/media");
  await upload(page, "Upload files", { "harbour.jpg": "#204060", "divider.jpg": "#304060" });
  const card = (name: string) => page.getByRole("article", { name });
  await page.getByText("2 images have no alt text").waitFor();
  await page.getByRole("button", { name: "Describe them" }).click();
  await eventually(async () => expect(await page.getByRole("article").count()).toBe(2));
  const missing = (name: string) => card(name).getByText("No alt text", { exact: true });
  expect([await missing("harbour.jpg").count(), await missing("divider.jpg").count()]).toEqual([
    1, 1,
  ]);

  await card("harbour.jpg").getByLabel("Alt text").fill("A harbour at dawn.");
  await page.keyboard.press("Tab");
  await card("divider.jpg")
    .getByRole("checkbox", { name: /^Decorative/ })
    .check();
  await eventually(async () => {
    const list = await page.request.get(`${instance.baseUrl}/api/media/list?alt=missing`);
    expect(((await list.json()) as { data: { total: number } }).data.total).toBe(0);
  });
  await page.getByRole("checkbox", { name: "Without alt text" }).uncheck();
  await card("harbour.jpg").waitFor();
  expect([await missing("harbour.jpg").count(), await missing("divider.jpg").count()]).toEqual([
    0, 0,
  ]);

  const names = await page
    .getByRole("article")
    .evaluateAll((cards) => cards.map((each) => each.getAttribute("aria-label") ?? ""));
  const [first = "", second = ""] = names;
  const last = names.at(-1) ?? "";
  const viewer = (name: string) => page.getByRole("dialog", { name });
  await page.getByRole("button", { name: `View ${first}` }).click();
  await viewer(first).getByText(`1 of ${names.length}`).waitFor();
  await page.keyboard.press("ArrowRight");
  await viewer(second).waitFor();
  await viewer(second).getByRole("button", { name: "Previous" }).click();
  await viewer(first).waitFor();
  await page.keyboard.press("ArrowLeft");
  await viewer(last).waitFor();
  await page.keyboard.press("Escape");
  await viewer(last).waitFor({ state: "detached" });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("an upload that is cancelled while the server works on it is not stored", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 844 } });
  await signIn(page, "/admin/media");
  const large = join(folder.path, "large.png");
  await writeFile(large, flatPng(8000, 8000));
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload files", exact: true }).click();
  const cancelled = page.waitForResponse((response) => response.url().endsWith("/cancel"));
  await (await chooser).setFiles([large]);
  await page.getByText("Preparing").waitFor();
  await page.getByRole("button", { name: "Cancel large.png" }).click();
  await page.getByText("Cancelled").waitFor();
  expect((await cancelled).status()).toBe(200);
  const list = await page.request.get(`${instance.baseUrl}/api/media/list?q=large`);
  expect(((await list.json()) as { data: { total: number } }).data.total).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the project editor shows missing alt texts and keeps decorative marks", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await signIn(page, "/admin/projects/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Lantern Walk");
  await upload(page, "Upload files to the gallery", {
    "dusk.jpg": "#602040",
    "texture.jpg": "#604020",
  });
  const image = (number: number) => page.getByRole("listitem", { name: `Image ${number}:` });
  const missing = (number: number) => image(number).getByText("No alt text");
  await missing(1).waitFor();
  await missing(2).waitFor();
  await image(1).getByLabel("Alt text").fill("A path with lanterns.");
  await missing(1).waitFor({ state: "detached" });
  await image(2)
    .getByRole("checkbox", { name: /^Decorative/ })
    .check();
  await missing(2).waitFor({ state: "detached" });
  await image(2).getByText("Screen readers skip decorative images.").waitFor();
  await page.getByRole("button", { name: "Save as draft" }).click();
  await page.waitForURL(/\/admin\/projects\/edit\?id=\d+/);

  const id = new URL(page.url()).searchParams.get("id");
  const stored = await page.request.get(`${instance.baseUrl}/api/adminprojects/get?id=${id}`);
  const { data } = (await stored.json()) as { data: ProjectDetail };
  expect(data.gallery).toEqual([
    { src: expect.stringMatching(/dusk\.jpg$/), caption: "", alt: "A path with lanterns." },
    { src: expect.stringMatching(/texture\.jpg$/), caption: "", isDecorative: true },
  ]);
  expect(
    await image(2)
      .getByRole("checkbox", { name: /^Decorative/ })
      .isChecked(),
  ).toBe(true);
  expect(errors).toEqual([]);
  await page.context().close();
});
