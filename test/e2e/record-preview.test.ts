import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

interface Project {
  id: number;
  slug: string;
  version: number;
}

let instance: TestInstance;
let browser: Browser;
let admin: AdminClient;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  admin = await signIn(instance);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

const patient = 120_000;

async function page(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(instance.baseUrl + path, { redirect: "manual" });
  return { status: response.status, text: await response.text() };
}

/** Waits until the site has caught up with the records. */
async function caughtUp(): Promise<void> {
  await eventually(async () => {
    const { data } = await admin.get<{ state: string; error: string | null }>(
      "/devconsole/rebuild",
    );
    expect(data).toMatchObject({ state: "idle", error: null });
  }, patient);
}

test("only the owner can preview a draft as it would be published", async () => {
  const draft = { name: "A quiet draft", status: "draft", lede: "Only for me.", brief: "a secret" };
  const { data: project } = await admin.post<Project>("/api/adminprojects/create", draft);
  const made = await admin.post<{ previewUrl: string; path: string }>("/devconsole/preview", {
    projectId: project.id,
  });
  expect(made.error).toBeNull();
  expect(made.data.path).toBe("/projects/a-quiet-draft/");
  const address = made.data.previewUrl.slice(0, -1) + made.data.path;
  expect((await page(address)).status).toBe(401);
  const shown = await openPage(browser);
  await shown.page.goto(await instance.link());
  await shown.page.goto(instance.baseUrl + address);
  const frame = shown.page.frameLocator("iframe");
  await frame.getByRole("heading", { level: 1, name: "A quiet draft" }).waitFor();
  expect(await frame.getByText("Only for me.").count()).toBe(1);
  await frame.getByRole("navigation", { name: "Next project" }).getByRole("link").click();
  const next = /\/_preview\/[^/]+\/projects\/[^/]+\/$/;
  await eventually(async () => {
    const framed = shown.page.frames().at(-1)?.url();
    expect(framed).toMatch(next);
    expect(framed).not.toContain("a-quiet-draft");
  });
  await shown.page.context().close();
  admin = await signIn(instance);
  await caughtUp();
  expect((await page(made.data.path)).status).toBe(404);
  expect((await page("/projects/")).text).not.toContain("A quiet draft");
  await instance.kill("runner");
  await instance.ready();
  const over = await admin.get(address);
  expect(over.error).toMatchObject({
    code: "not_found",
    message: expect.stringContaining("has expired"),
  });
});

test("a page's old address redirects to its new one, and the changelog links to it", async () => {
  const { data: project } = await admin.post<Project>("/api/adminprojects/create", {
    name: "Moving house",
    status: "published",
  });
  await caughtUp();
  expect((await page("/projects/moving-house/")).status).toBe(200);
  const { id, version } = project;
  await admin.post("/api/adminprojects/save", { id, version, slug: "moved" });
  const entry = { kind: "content", title: "Moved a project", detail: "To another address." };
  const added = await admin.post<{ id: number }>("/api/adminchangelog/create", entry);
  expect(added.error).toBeNull();
  await caughtUp();
  const old = await fetch(`${instance.baseUrl}/projects/moving-house/?from=mail`, {
    redirect: "manual",
  });
  expect([old.status, old.headers.get("location")]).toEqual([301, "/projects/moved/?from=mail"]);
  expect((await page("/projects/moved/")).text).toContain("Moving house");
  expect((await page("/changelog/")).text).toContain("Moved a project");
  expect((await page("/rss.xml")).text).toContain("Moved a project");
  expect((await page("/sitemap-0.xml")).text).not.toContain("moving-house");
});

test("the seed file is imported when it changes, and its errors are reported", async () => {
  const file = join(instance.paths.content, "database/changelog.json");
  const list = JSON.parse(await readFile(file, "utf8")) as unknown[];
  const next = [["2026-11-20T10:00:00Z", "infra", "Seeded by hand", ""], ...list];
  await writeFile(file, JSON.stringify(next, null, 2));
  await instance.git("add", "database");
  const owner = ["-c", "user.name=Owner", "-c", "user.email=owner@example.com"];
  await instance.git(...owner, "commit", "-qm", "Tell of it");
  await eventually(async () => {
    expect((await page("/changelog/")).text).toContain("Seeded by hand");
  }, patient);
  const { data } = await admin.get<{ items: { source: string; id: number }[] }>(
    "/api/adminchangelog/list?q=seeded+by+hand",
  );
  expect(data.items).toMatchObject([{ source: "seed" }]);
  const refused = await admin.post("/api/adminchangelog/delete", { id: data.items[0]?.id });
  expect(refused.error?.code).toBe("invalid_state");
});
