import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";

const project = "field-notes-for-rangers";
const home = "app/src/content/home.json";
const dots = "/media/2026/fd77d355c18c-field-dots.webp";
const contours = "/media/2026/45ca45183824-field-contours.webp";
const call = (name: string, input: object) => ({ name, input });
const metrics = (value: string) => [{ value, label: "To log a sighting" }];
const setMetrics = (value: string) =>
  call("set_project_field", { project, field: "metrics", value: metrics(value) });

let browser: Browser;
let model: ModelServer;
let instance: TestInstance;

beforeAll(async () => {
  model = await startModelServer([
    { calls: [call("read_project", { project }), call("read", { path: home })] },
    {
      calls: [
        setMetrics("8.5 s"),
        call("arrange_gallery", {
          project,
          items: [{ src: contours, caption: "The valley in lines." }, { src: dots }],
        }),
        call("edit", { path: home, search: '"See the work"', replace: '"Look at the work"' }),
      ],
    },
    { text: "The figure, a caption and the button are new.\n\nCommit: Update field notes" },
    { calls: [setMetrics("7.5 s")] },
    { text: "The figure is 7.5 s.\n\nCommit: Log a sighting in 7.5 s" },
  ]);
  [browser, instance] = await Promise.all([
    launchBrowser({ whole: true }),
    startInstance({
      config: { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

const publicPage = async (path: string) => (await fetch(`${instance.baseUrl}${path}`)).text();
const caseStudy = () => publicPage(`/projects/${project}/`);

async function openConsole(page: Page): Promise<void> {
  await page.goto(await instance.link());
  await page.getByRole("link", { name: "Open the console on your site" }).click();
  await page.getByLabel("Describe a change to this page").waitFor();
}

async function send(page: Page, instruction: string): Promise<void> {
  await page.getByLabel("Describe a change to this page").fill(instruction);
  await page.keyboard.press("Control+Enter");
}

const outcome = (page: Page, word: string) =>
  page.getByRole("status").getByText(word, { exact: true });

interface Stored {
  id: number;
  version: number;
  metrics: { value: string }[];
  gallery: { src: string; caption: string }[];
}

async function stored(page: Page): Promise<Stored> {
  const answer = await page.request.get(
    `${instance.baseUrl}/api/adminprojects/get?slug=${project}`,
  );
  return ((await answer.json()) as { data: Stored }).data;
}

test("a figure, a caption and a button change in one run, live and back together", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await openConsole(page);
  const before = await stored(page);
  await send(page, "A sighting takes 8.5 s now. Say so, and show the valley first.");
  await outcome(page, "Preview ready").waitFor();
  await page.getByRole("button", { name: "3 changes" }).click();
  await page.getByText("metrics", { exact: true }).first().waitFor();
  expect(await stored(page)).toEqual(before);
  expect(await caseStudy()).not.toContain("8.5 s");

  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await outcome(page, "Live").waitFor();
  expect(await caseStudy()).toContain("8.5 s");
  expect(await caseStudy()).toContain("The valley in lines.");
  expect(await publicPage("/")).toContain("Look at the work");
  const after = await stored(page);
  expect(after.metrics).toEqual(metrics("8.5 s"));
  expect(after.gallery.map(({ src }) => src)).toEqual([contours, dots]);
  const exported = await instance.git("show", "main:database/projects.json");
  expect(exported).toContain("The valley in lines.");
  expect(await instance.git("status", "--porcelain")).toBe("");

  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("button", { name: "Undo only this" }).first().click();
  await page.getByRole("button", { name: "Undo this change" }).click();
  await outcome(page, "Live").waitFor();
  const undone = await stored(page);
  expect(undone.metrics).toEqual(before.metrics);
  expect(undone.gallery).toEqual(before.gallery);
  expect(await caseStudy()).not.toContain("8.5 s");
  expect(await publicPage("/")).toContain("See the work");
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a field that was saved in the meantime shows both values, and the owner decides", async () => {
  const { page } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  await openConsole(page);
  await send(page, "A sighting takes 7.5 s now.");
  await outcome(page, "Preview ready").waitFor();
  const { id, version } = await stored(page);
  const saved = await page.request.post(`${instance.baseUrl}/api/adminprojects/save`, {
    data: { id, version, metrics: metrics("6.5 s") },
    headers: { origin: instance.baseUrl },
  });
  expect(saved.status()).toBe(200);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("The record has changed since this run started").waitFor();
  await page.getByRole("region", { name: "In this run" }).getByText("7.5 s").waitFor();
  await page.getByRole("region", { name: "In the record now" }).getByText("6.5 s").waitFor();
  expect((await stored(page)).metrics).toEqual(metrics("6.5 s"));
  await page.getByRole("button", { name: "Use this run’s version" }).click();
  await page
    .getByText("The record has changed since this run started")
    .waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await outcome(page, "Live").waitFor();
  expect((await stored(page)).metrics).toEqual(metrics("7.5 s"));
  await eventually(async () => expect(await caseStudy()).toContain("7.5 s"));
  await page.context().close();
});
