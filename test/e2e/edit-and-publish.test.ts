import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { type ModelServer, type SeenRequest, startModelServer } from "../support/model-server.ts";

let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

const publicHome = async (at = instance) => (await fetch(`${at.baseUrl}/`)).text();

const publicChangelog = async () => (await fetch(`${instance.baseUrl}/changelog/`)).text();

/** Signs in by the secret link and opens the console on the home page. */
async function openConsole(page: Page, at = instance): Promise<void> {
  await page.goto(await at.link());
  expect(new URL(page.url()).pathname).toBe("/admin");
  await page.getByRole("link", { name: "Open the console on your site" }).click();
  await page.getByLabel("Describe a change to this page").waitFor();
}

async function send(page: Page, instruction: string): Promise<void> {
  await page.getByLabel("Describe a change to this page").fill(instruction);
  await page.keyboard.press("Control+Enter");
}

const outcome = (page: Page, word: string) =>
  page.getByRole("status").getByText(word, { exact: true });

/** Waits for the end of a run, a build or a publish, which may take long on a busy machine. */
const reach = (page: Page, word: string) => outcome(page, word).waitFor({ timeout: 120_000 });

/** Every file below a folder, by its path, with the hash of its bytes. */
async function hashes(dir: string): Promise<Map<string, string>> {
  const root = await realpath(dir);
  const found = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(root.length), sha256Hex(await readFile(path)));
  }
  return found;
}

async function artifactDir(): Promise<string> {
  const listed = instance.nodes.map(async ({ paths: { artifacts } }) =>
    (await readdir(artifacts))
      .filter((name) => /^[0-9a-f]+\.json$/.test(name))
      .map((name) => join(artifacts, name.slice(0, -5))),
  );
  const dirs = (await Promise.all(listed)).flat();
  const home = await Promise.all(
    dirs.map(async (dir) => ({ dir, text: await readFile(join(dir, "index.html"), "utf8") })),
  );
  return home.find(({ text }) => text.includes("Look at the work"))?.dir ?? "";
}

test("an edit is described, previewed, published, and undone", async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
  const before = await publicHome();
  expect(before).toContain("See the work");
  expect(before).not.toMatch(/admin\/assets|console/i);

  await openConsole(page);
  await send(page, 'replace "See the work" with "Look at the work"');
  await reach(page, "Preview ready");
  await page.getByText("home.json").first().waitFor();

  // It opens without being asked to, and leaves the focus where it is.
  const frame = page.frameLocator("iframe");
  await frame.getByRole("link", { name: "Look at the work" }).waitFor();
  await page.getByLabel("Describe a change to this page").and(page.locator(":focus")).waitFor();
  expect(await publicHome()).toBe(before);
  const artifact = await hashes(await artifactDir());

  await page.getByRole("button", { name: "Publish", exact: true }).click();
  // The page under the console says it at once, and the focus is still in the console.
  await page.getByRole("link", { name: "Look at the work" }).first().waitFor();
  await page.getByRole("group", { name: "Result" }).and(page.locator(":focus")).waitFor();
  await reach(page, "Live");
  const after = await publicHome();
  expect(after).toContain("Look at the work");
  expect(await hashes(instance.paths.current)).toEqual(artifact);
  // A small edit is recorded, and no news for visitors.
  expect(await publicChangelog()).not.toContain("Look at the work");
  const listed = await page.request.get(`${instance.baseUrl}/api/adminchangelog/list`);
  const { data } = (await listed.json()) as { data: { items: unknown[] } };
  const title = expect.stringContaining("Look at the work");
  expect(data.items[0]).toMatchObject({ title, actor: "Editor", hidden: true });
  const log = await instance.git("log", "--format=%H%n%B", "main");
  expect(log.match(/^Run: /gm)).toHaveLength(1);
  expect(log).toMatch(/^Actor: Editor$/m);
  expect(await instance.git("status", "--porcelain")).toBe("");
  // The console hears of an end before its workspace is cleared away.
  await eventually(async () => expect(await readdir(instance.paths.workspaces)).toEqual([]));

  await page.reload();
  await page.getByRole("tab", { name: "History" }).click();
  await page.goto(`${instance.baseUrl}/about/`);
  await page.getByRole("tab", { name: "History", selected: true }).waitFor();
  await page.goto(`${instance.baseUrl}/`);
  await page.getByRole("button", { name: "Undo only this" }).first().click();
  await page.getByRole("button", { name: "Undo this change" }).click();
  await page.getByRole("link", { name: "See the work" }).first().waitFor();
  await reach(page, "Live");
  await page.getByRole("button", { name: "Undo", exact: true }).waitFor();
  expect(await publicHome()).toContain("See the work");
  expect(await instance.git("status", "--porcelain")).toBe("");
  expect(errors).toEqual([]);
  await page.context().close();
});

test("discarding leaves repository, releases, and site unchanged", async () => {
  const { page } = await openPage(browser, { viewport: { width: 390, height: 844 } });
  const look = async () => ({
    head: await instance.git("rev-parse", "main"),
    status: await instance.git("status", "--porcelain", "--ignored"),
    branches: await instance.git("worktree", "list", "--porcelain"),
    releases: (await readdir(instance.paths.releases)).toSorted(),
    artifacts: (await readdir(instance.paths.artifacts)).toSorted(),
    workspaces: await readdir(instance.paths.workspaces),
    home: await publicHome(),
    changelog: await (await fetch(`${instance.baseUrl}/changelog/`)).text(),
  });
  // What git knows of a workspace goes after its files.
  const clear = async () => expect((await look()).branches.match(/^worktree /gm)).toHaveLength(1);
  await eventually(clear);
  const before = await look();
  // The list of runs comes late: what was begun before it came stays to be seen.
  const started = Promise.withResolvers<void>();
  await page.route(/\/runs\?/, async (route) => {
    const response = await route.fetch();
    await started.promise;
    await route.fulfill({ response });
  });
  await openConsole(page);
  await send(page, 'replace "Selected work" with "Chosen work"');
  await page.getByText('replace "Selected work"').waitFor();
  started.resolve();
  await reach(page, "Preview ready");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByText("home.json").first().waitFor();
  await page.getByRole("button", { name: "Discard", exact: true }).last().click();
  await outcome(page, "Discarded").waitFor();
  await eventually(async () => expect(await look()).toEqual(before));
  await page.context().close();
});

test("a run survives a reload, a second tab, and a restart of runner and web", async () => {
  const { page } = await openPage(browser);
  await openConsole(page);
  await send(page, 'replace "All projects" with "Every project"');
  await reach(page, "Preview ready");
  await instance.kill("runner");
  await instance.kill("web");
  await instance.ready();
  const second = await page.context().newPage();
  await second.goto(`${instance.baseUrl}/about/#console`);
  await reach(second, "Preview ready");
  await second.getByText("home.json").first().waitFor();
  await page.reload();
  await reach(page, "Preview ready");
  await second.getByLabel("Mention in the changelog").check();
  await second.getByRole("button", { name: "Publish", exact: true }).click();
  await reach(page, "Live");
  expect(await publicHome()).toContain("Every project");
  expect(await publicChangelog()).toMatch(
    /Every project[\s\S]*by Editor|by Editor[\s\S]*Every project/,
  );
  await page.context().close();
});

const path = "app/src/content/home.json";

/** Reads, edits, breaks the build, sees the error, repairs it: as a model would over the wire. */
function scriptedModel(): Promise<ModelServer> {
  const call = (name: string, input: object) => ({ calls: [{ name, input }] });
  const seesTheError = ({ raw }: SeenRequest) => /home\.json:\d+:\d+ /.test(raw);
  return startModelServer([
    call("read", { path }),
    call("edit", { path, search: '"See the work"', replace: '"Look at the work' }),
    { text: "Changed the words of the button." },
    (request) =>
      seesTheError(request)
        ? call("edit", { path, search: '"Look at the work', replace: '"Look at the work"' })
        : { text: "Nobody told me what is wrong." },
    { text: "The button now says Look at the work.\n\nCommit: Invite to look at the work" },
  ]);
}

test("a model that breaks the build gets the error and fixes it", async () => {
  await using own = await (async () => {
    const model = await scriptedModel();
    // With a builder loaded ahead, as the product has it.
    const started = await startInstance({
      warm: true,
      config: {
        model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url },
      },
    });
    return {
      started,
      model,
      async [Symbol.asyncDispose]() {
        await started[Symbol.asyncDispose]();
        await model.close();
      },
    };
  })();
  const { page } = await openPage(browser);
  await openConsole(page, own.started);
  await send(page, "Let the first button say Look at the work.");
  await reach(page, "Preview ready");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await reach(page, "Live");
  expect(await publicHome(own.started)).toContain("Look at the work");
  expect(own.model.remaining()).toBe(0);
  const events = await page.request.get(`${own.started.baseUrl}/devconsole/runs?perPage=1`);
  expect(await events.json()).toMatchObject({
    data: { items: [{ status: "published", model: "openai-compatible/scripted" }] },
  });
  expect(await own.started.git("log", "-1", "--format=%B", "main")).toMatch(/^Actor: Editor$/m);
  await page.context().close();
});
