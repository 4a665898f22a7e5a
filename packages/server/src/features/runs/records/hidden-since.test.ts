import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeImage } from "../../../../../../test/support/stored-image.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import type { AgentContext } from "../../agent/agent.ts";
import { makeLiteralEditor } from "../../agent/literal.ts";
import { makeProjects, type Projects } from "../../projects/projects.ts";
import type { ProjectCreate } from "../../projects/schema.ts";
import { findProject } from "../../projects/store.ts";

let app: RunsApp;
let projects: Projects;

const quay = "/media/2026/abc-quay.webp";
const boats = "/media/2026/abc-boats.webp";
const metric = { value: "12", label: "ferries" };
const shows = (...sources: string[]) => sources.map((src) => ({ src, caption: "" }));

const create = (fields: Partial<ProjectCreate> & { name: string }) =>
  projects.create({ status: "published", ...fields });

async function save(id: number, fields: object): Promise<void> {
  const project = await findProject(app.db, { id });
  if (project === null) throw new Error("The project is gone.");
  await projects.save({ id, version: project.version, ...fields });
}

const createHarbour = async () =>
  (
    await create({
      name: "Harbour map",
      summary: "A map.",
      body: "One ferry.",
      metrics: [metric],
      gallery: shows(quay),
    })
  ).id;

const setMetric =
  (value: string, slug = "harbour-map") =>
  async ({ records }: AgentContext) =>
    void (await records.setField(slug, "metrics", [{ ...metric, value }]));

const setGallery =
  (...sources: string[]) =>
  async ({ records }: AgentContext) =>
    void (await records.setField("harbour-map", "gallery", shows(...sources)));

async function publish(runId: string): Promise<void> {
  expect((await app.runs.publish(runId, { mentionInChangelog: true })).status).toBe("published");
}

async function restore(runId: string, mode?: "version") {
  const { runId: restored } = await app.runs.restore(runId, ...(mode ? [mode] : []));
  await app.runs.waitUntilFinished(restored);
  return app.runs.get(restored);
}

/** All bytes of the live site, as one text. */
async function liveBytes(): Promise<string> {
  const entries = await readdir(app.paths.current, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

const hasRelease = () =>
  access(app.paths.current).then(
    () => true,
    () => false,
  );

beforeEach(async () => {
  app = await startRunsApp();
  const mediaRoot = join(app.paths.content, "app/public");
  projects = makeProjects({
    ownerName: "Mara",
    db: app.db,
    clock: app.admin.clock,
    mediaRoot,
    onChange: async () => {},
  });
  await storeImage(app, "quay");
  await storeImage(app, "boats");
});
afterEach(() => app.cleanup());

test("an image that is for some people since the preview goes live with no run", async () => {
  await createHarbour();
  const runId = await app.edit(scriptedAgent(setGallery(quay, boats)));
  await create({ name: "Inner circle", audience: "members", gallery: shows(boats) });
  await expect(app.runs.publish(runId)).rejects.toMatchObject({ code: "conflict" });
  expect(await hasRelease()).toBe(false);
});

test("an undo brings back no image that is for some people by now", async () => {
  const id = await createHarbour();
  await save(id, { gallery: shows(quay, boats) });
  const runId = await app.edit(scriptedAgent(setGallery(quay)));
  await publish(runId);
  await create({ name: "Inner circle", audience: "members", gallery: shows(boats) });
  expect((await restore(runId)).status).not.toBe("published");
  expect((await findProject(app.db, { id }))?.gallery.map(({ src }) => src)).toEqual([quay]);
  const page = join(app.paths.current, "projects/harbour-map/index.html");
  expect(await readFile(page, "utf8")).not.toContain(boats);
});

test("the changelog says nothing of a project that is hidden since the preview", async () => {
  const id = await createHarbour();
  const runId = await app.edit(makeLiteralEditor(), 'replace "One ferry" with "Quiet plan"');
  await save(id, { audience: "members" });
  await publish(runId);
  expect(await liveBytes()).not.toMatch(/Quiet plan|harbour.map/i);
});

test("of a run that changes a hidden project too the changelog names the public one", async () => {
  const hidden = await create({ name: "Inner circle", audience: "members", metrics: [metric] });
  await createHarbour();
  const runId = await app.edit(
    scriptedAgent(async (context) => {
      await setMetric("15", "inner-circle")(context);
      await setMetric("16")(context);
    }),
    "Set the figures of inner-circle and of the Harbour map",
  );
  await publish(runId);
  const live = await liveBytes();
  expect(live).toContain("Update the metrics of harbour-map");
  expect(live).not.toMatch(/inner.circle/i);
  expect((await findProject(app.db, { id: hidden.id }))?.metrics[0]?.value).toBe("15");
});

test("going back to a version keeps what was saved by hand between two runs, and names it", async () => {
  const id = await createHarbour();
  const page = scriptedAgent((context) => writePage(context, "index.html", "<h1>n</h1>\n"));
  const first = await app.edit(page);
  await publish(first);
  await publish(await app.edit(scriptedAgent(setMetric("15"))));
  await save(id, { metrics: [{ ...metric, value: "20" }] });
  await publish(await app.edit(scriptedAgent(setMetric("21"))));
  const back = await restore(first, "version");
  expect(back).toMatchObject({ status: "published", summary: expect.stringContaining("metrics") });
  expect((await findProject(app.db, { id }))?.metrics).toEqual([{ ...metric, value: "20" }]);
});

test("an undo removes no draft that the owner has invited people to", async () => {
  await createHarbour();
  const runId = await app.edit(
    scriptedAgent(async ({ records }) => void (await records.createDraft({ name: "Night ferry" }))),
  );
  await publish(runId);
  const draft = await findProject(app.db, { slug: "night-ferry" });
  await save(draft?.id ?? 0, { audience: "invited" });
  expect((await restore(runId).catch(() => null))?.status).not.toBe("published");
  expect(await findProject(app.db, { slug: "night-ferry" })).not.toBeNull();
});

test("the address of a draft tells nothing of a hidden project of that name", async () => {
  await create({ name: "Inner circle", audience: "members" });
  await createHarbour();
  let address = "";
  const runId = await app.edit(
    scriptedAgent(async ({ records }) => {
      address = (await records.createDraft({ name: "Inner circle" })).slug;
    }),
  );
  expect(address).toBe("inner-circle");
  await publish(runId);
  expect(await findProject(app.db, { slug: "inner-circle-2" })).not.toBeNull();
});

test("the diff names a decided field once, also where its project has another address now", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(setMetric("15")));
  await save(id, { slug: "harbour-atlas", metrics: [{ ...metric, value: "13" }] });
  const body = { runId, record: `project:${id}`, field: "metrics", keep: "run" };
  expect((await app.ask("/devconsole/records/resolve", { body })).status).toBe(200);
  const { files } = await app.runs.getDiff(runId);
  expect(files.map(({ path }) => path)).toEqual(["projects/harbour-atlas/metrics"]);
});
