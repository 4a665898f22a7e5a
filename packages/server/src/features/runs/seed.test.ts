import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { type ScriptedAgent, scriptedAgent } from "../../../../../test/support/runs-site.ts";
import { createLog } from "../../platform/log.ts";
import { makeReseeder, type Reseeder } from "../changelog/reseed.ts";
import { seedChangelog } from "../changelog/seed.ts";
import { listEntries } from "../changelog/store.ts";
import { exportSnapshot } from "../release/export.ts";

type Element = [at: string, kind: string, title: string, detail: string, actor?: string];
const first: Element = ["2026-01-01", "content", "First", ""];
const second: Element = ["2026-01-02", "design", "Second", ""];
const seedFile = "database/changelog.json";

let app: RunsApp;
let reseeder: Reseeder;
let reported: string[];

beforeEach(async () => {
  app = await startRunsApp();
  reported = [];
  const { db, admin, paths } = app;
  reseeder = makeReseeder({
    db,
    clock: admin.clock,
    file: join(paths.content, seedFile),
    ownerName: "Owner",
    log: createLog({ level: "silent", name: "test" }),
    onChange: async (_transaction, reason) => void reported.push(reason),
  });
});
afterEach(() => app.cleanup());

/** An agent that writes one seed after the other, as often as it is asked. */
function seeding(...texts: string[]): ScriptedAgent {
  return scriptedAgent(
    ...texts.map((text) => async ({ root }: { root: string }) => {
      await mkdir(join(root, "database"), { recursive: true });
      await writeFile(join(root, seedFile), text);
    }),
  );
}
const seed = (list: Element[]) => JSON.stringify(list);
const titles = async () =>
  (await listEntries(app.db, { limit: 100, offset: 0 })).items.map(({ title }) => title);
const page = async (runId: string) =>
  [...(await app.ask(`/_preview/${runId}/changelog/`)).text.matchAll(/<li>([^<]*)/g)].map(
    ([, title]) => title,
  );

describe("a run that changes the changelog's seed", () => {
  it("shows the entries as they then are, and what goes live needs no other build", async () => {
    await seedChangelog(app.db, { json: seed([second]), ownerName: "Owner", now: 0 });
    const runId = await app.edit(seeding(seed([first, second])));
    const shown = await page(runId);
    expect(shown).toEqual([expect.stringMatching(/changelog/), "Second", "First"]);
    expect(await titles()).toEqual(["Second"]);
    const { artifactSha } = await app.runs.getPreview(runId);

    await app.runs.publish(runId);
    expect(app.builder.builds).toBe(1);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
    expect(reported).toHaveLength(1);
    expect(await titles()).toEqual(shown);

    // What a rebuild does: the head of main, with the records as they now are.
    const facts = { baseUrl: "http://localhost:3000", owner: { name: "Owner", timeZone: "UTC" } };
    const rebuilt = await app.builder.build({
      sourceDir: app.paths.content,
      snapshot: await exportSnapshot(app.db, facts),
      mediaDir: join(app.paths.content, "app/public/media"),
    });
    expect(rebuilt.sha).toBe(artifactSha);
    const live = join(app.paths.current, "changelog/index.html");
    expect(await readFile(live, "utf8")).toContain("<li>First</li>");
  });

  it("is published as it was seen although the seed was taken in the meantime", async () => {
    const runId = await app.edit(seeding(seed([first])));
    await seedChangelog(app.db, { json: seed([first]), ownerName: "Owner", now: 0 });
    await app.runs.publish(runId);
    expect(app.builder.builds).toBe(1);
  });

  it("has a malformed one handed back, with the element's name, and fixes it", async () => {
    const broken = JSON.stringify([first, ["2026-01-02", "two words", "Second", ""]]);
    const agent = seeding(broken, "[", seed([first]));
    const runId = await app.edit(agent);
    expect(agent.messages[1]).toContain(
      "database/changelog.json, element 2: kind must be one word.",
    );
    expect(agent.messages[2]).toContain("database/changelog.json is not JSON: ");
    expect((await app.runs.get(runId)).status).toBe("preview_ready");
    expect(app.builder.builds).toBe(1);
    expect(await titles()).toEqual([]);
  });

  it("fails with one that stays malformed; the entries stay", async () => {
    await seedChangelog(app.db, { json: seed([second]), ownerName: "Owner", now: 0 });
    const runId = await app.edit(seeding("{}", "{ }", "{  }"));
    expect(await app.runs.get(runId)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("database/changelog.json is not a list."),
    });
    expect(await titles()).toEqual(["Second"]);
    expect(app.builder.builds).toBe(0);
  });
});

it("a malformed seed that somebody else committed fails no run", async () => {
  await mkdir(join(app.paths.content, "database"), { recursive: true });
  await writeFile(join(app.paths.content, seedFile), "{}");
  await app.git("add", seedFile);
  await app.git("-c", "user.name=O", "-c", "user.email=o@example.com", "commit", "-qm", "By hand");
  await reseeder.reseedIfChanged();
  expect((await reseeder.state()).error).toContain("is not a list");
  const agent = scriptedAgent(async ({ root }) =>
    writeFile(join(root, "app/src/pages/about.html"), "<h1>New</h1>"),
  );
  const runId = await app.edit(agent);
  expect((await app.runs.get(runId)).status).toBe("preview_ready");
});
