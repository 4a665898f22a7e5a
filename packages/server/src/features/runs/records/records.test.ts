import { storeImage } from "../../../../../../test/support/stored-image.ts";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startModelServer } from "../../../../../../test/support/model-server.ts";
import {
  type RunsApp,
  type RunsOfProcess,
  startRunsApp,
} from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import type { AgentContext } from "../../agent/agent.ts";
import { makeLiteralEditor } from "../../agent/literal.ts";
import { makeEditor } from "../../agent/model.ts";
import { deleteMedia } from "../../media/delete-store.ts";
import { findMediaBySrc } from "../../media/store.ts";
import { exportRecords } from "../../projects/export.ts";
import { makeProjects, type Projects } from "../../projects/projects.ts";
import { listRunsUsing } from "../../projects/run-changes/store.ts";
import type { ProjectCreate } from "../../projects/schema.ts";
import { findProject } from "../../projects/store.ts";
import type { PublishStep } from "../../release/finalize.ts";

let app: RunsApp;
let projects: Projects;

const image = "/media/2026/abc-quay.webp";
const other = "/media/2026/abc-boats.webp";
const metric = { value: "12", label: "ferries" };

async function open(options?: Parameters<typeof startRunsApp>[0]): Promise<void> {
  app = await startRunsApp(options);
  const mediaRoot = join(app.paths.content, "app/public");
  const { db } = app;
  projects = makeProjects({
    ownerName: "Mara",
    db,
    clock: app.admin.clock,
    mediaRoot,
    onChange: async () => {},
  });
  await storeImage(app, "quay");
  await storeImage(app, "boats");
}

const create = (fields: Partial<ProjectCreate> & { name: string }) =>
  projects.create({ status: "published", ...fields });

async function createHarbour(): Promise<number> {
  const gallery = [{ src: image, caption: "The quay" }];
  const fields = { summary: "A map.", body: "One ferry.", metrics: [metric], gallery };
  return (await create({ name: "Harbour map", ...fields })).id;
}

async function stored(id: number) {
  const project = await findProject(app.db, { id });
  if (project === null) throw new Error("The project is gone.");
  return project;
}

async function save(id: number, fields: object): Promise<void> {
  const { version } = await stored(id);
  await projects.save({ id, version, ...fields });
}

async function page(slug: string): Promise<string> {
  return readFile(join(app.paths.current, "projects", slug, "index.html"), "utf8");
}

async function previewPage(runId: string, slug: string): Promise<string> {
  const { artifactSha } = await app.runs.getPreview(runId);
  const file = join(app.paths.artifacts, artifactSha, "projects", slug, "index.html");
  return readFile(file, "utf8");
}

/** All bytes of the live site, as one text. */
async function liveBytes(): Promise<string> {
  const entries = await readdir(app.paths.current, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name), "latin1")),
  );
  return texts.join("\n");
}

/** Asserts that database, repository and release say the same. */
async function assertAgreement(slug: string): Promise<void> {
  expect(await app.git("show", "main:database/projects.json")).toBe(await exportRecords(app.db));
  const project = await findProject(app.db, { slug });
  const { metrics, summary, updatedAt } = JSON.parse(
    (await page(slug)).replace(/<\/?pre>/g, ""),
  ) as NonNullable<typeof project>;
  expect({ metrics, summary, updatedAt }).toEqual({
    metrics: project?.metrics,
    summary: project?.summary,
    updatedAt: project?.updatedAt,
  });
}

const changeMetric =
  (value: string, slug = "harbour-map") =>
  async ({ records }: AgentContext) =>
    void (await records.setField(slug, "metrics", [{ ...metric, value }]));

async function publish(runId: string): Promise<void> {
  expect((await app.runs.publish(runId)).status).toBe("published");
}

beforeEach(() => open());
afterEach(() => app.cleanup());

/** A run that changes a metric, a caption and a page. */
async function editAll(): Promise<string> {
  return app.edit(
    scriptedAgent(async (context) => {
      await changeMetric("15")(context);
      const [item] = (await context.records.read("harbour-map")).gallery as { src: string }[];
      await context.records.setField("harbour-map", "gallery", [
        { ...item, caption: "The new quay", alt: "A quay" },
        { src: other, caption: "" },
      ]);
      await writePage(context, "index.html", "<h1>New home</h1>\n");
    }),
  );
}

test("a metric, a gallery and a page change in one run, live at once, and back at once", async () => {
  const id = await createHarbour();
  const before = await stored(id);
  const runId = await editAll();
  expect(await previewPage(runId, "harbour-map")).toMatch(/"15"[\s\S]*The new quay/);
  expect(await stored(id)).toEqual(before);
  const { files } = await app.runs.getDiff(runId);
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    "app/src/pages/index.html",
    "projects/harbour-map/gallery",
    "projects/harbour-map/metrics",
  ]);
  expect(files.find(({ path }) => path.endsWith("metrics"))?.patch).toContain(
    "-12 · ferries\n+15 · ferries",
  );
  const preview = await previewPage(runId, "harbour-map");
  app.admin.clock.advance(60_000);
  await publish(runId);
  expect(await page("harbour-map")).toBe(preview);
  expect(await stored(id)).toMatchObject({
    version: 2,
    metrics: [{ ...metric, value: "15" }],
    gallery: [
      { src: image, caption: "The new quay", alt: "A quay" },
      { src: other, caption: "" },
    ],
  });
  await assertAgreement("harbour-map");
  const { runId: undoId } = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(undoId);
  expect(await app.runs.get(undoId)).toMatchObject({ status: "published", error: null });
  const { metrics, gallery } = await stored(id);
  expect({ metrics, gallery }).toEqual({ metrics: before.metrics, gallery: before.gallery });
  expect(await liveBytes()).not.toContain("New home");
  await assertAgreement("harbour-map");
});

test("a run of records alone has a commit, an entry and an undo, and an undo of that", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(changeMetric("15")));
  expect(await app.runs.get(runId)).toMatchObject({
    status: "preview_ready",
    message: "Update the metrics of harbour-map",
  });
  await publish(runId);
  await assertAgreement("harbour-map");
  const undone = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(undone.runId);
  expect((await stored(id)).metrics).toEqual([metric]);
  await assertAgreement("harbour-map");
  const redone = await app.runs.restore(undone.runId);
  await app.runs.waitUntilFinished(redone.runId);
  expect((await stored(id)).metrics).toEqual([{ ...metric, value: "15" }]);
  await assertAgreement("harbour-map");
});

test("what the owner saves meanwhile in other fields is merged", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(changeMetric("15")));
  app.admin.clock.advance(60_000);
  await save(id, { summary: "A better map." });
  await publish(runId);
  expect(await stored(id)).toMatchObject({
    summary: "A better map.",
    metrics: [{ ...metric, value: "15" }],
    version: 3,
  });
  await assertAgreement("harbour-map");
});

describe("the same field", () => {
  let refusal: unknown;
  let id: number;
  let runId: string;
  beforeEach(async () => {
    id = await createHarbour();
    runId = await app.edit(scriptedAgent(changeMetric("15")));
    await save(id, { metrics: [{ ...metric, value: "13" }] });
    refusal = await app.runs.publish(runId).catch((error: unknown) => error);
  });
  const changes = async () =>
    (await app.ask(`/devconsole/runs/${runId}/records`)).json().data as {
      changes: { record: string; field: string; isConflict: boolean }[];
    };
  const resolve = async (keep: string) =>
    app.ask("/devconsole/records/resolve", {
      body: { runId, record: `project:${id}`, field: "metrics", keep },
    });

  test("is a conflict that shows both and loses neither", async () => {
    expect(refusal).toMatchObject({
      code: "conflict",
      details: { records: [{ slug: "harbour-map", field: "metrics" }] },
    });
    expect(await changes()).toMatchObject({
      changes: [
        {
          name: "Harbour map",
          field: "metrics",
          before: "12 · ferries\n",
          after: "15 · ferries\n",
          present: "13 · ferries\n",
          isConflict: true,
        },
      ],
    });
    expect(await app.runs.get(runId)).toMatchObject({ status: "preview_ready" });
    expect((await stored(id)).metrics).toEqual([{ ...metric, value: "13" }]);
    const events = await app.events.listAfter(runId, 0);
    expect(events.find(({ type }) => type === "error")?.data).toMatchObject({
      records: [{ projectId: id, field: "metrics" }],
    });
  });

  test("is the run's where the owner decides so", async () => {
    expect((await resolve("run")).status).toBe(200);
    expect(await app.runs.get(runId)).toMatchObject({ error: null });
    await publish(runId);
    expect((await stored(id)).metrics).toEqual([{ ...metric, value: "15" }]);
    await assertAgreement("harbour-map");
  });

  test("stays the record's where the owner decides so", async () => {
    expect((await resolve("record")).json().data).toEqual({ changes: [] });
    await expect(app.runs.publish(runId)).rejects.toMatchObject({ code: "invalid_state" });
    expect((await stored(id)).metrics).toEqual([{ ...metric, value: "13" }]);
    expect((await resolve("record")).status).toBe(404);
  });
});

test("an undo is refused where the field was changed since, and changes nothing", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(changeMetric("15")));
  await publish(runId);
  await save(id, { metrics: [{ ...metric, value: "16" }] });
  const undo = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(undo.runId);
  const { status, error } = await app.runs.get(undo.runId);
  expect(status).toBe("failed");
  expect(error).toContain("metrics of “Harbour map”");
  expect((await stored(id)).metrics).toEqual([{ ...metric, value: "16" }]);
});

test("back to a version takes back what runs changed since, and leaves what the owner changed", async () => {
  const id = await createHarbour();
  const first = await app.edit(scriptedAgent(changeMetric("15")));
  await publish(first);
  await publish(await app.edit(scriptedAgent(changeMetric("16"))));
  const last = await app.edit(
    scriptedAgent(async (context) => {
      await changeMetric("17")(context);
      await context.records.setField("harbour-map", "period", "2026");
    }),
  );
  await publish(last);
  await save(id, { period: "2025", role: "Design" });
  const back = await app.runs.restore(first, "version");
  await app.runs.waitUntilFinished(back.runId);
  const { status, summary } = await app.runs.get(back.runId);
  expect(status).toBe("published");
  expect(summary).toContain("period of “Harbour map”");
  const { metrics, period, role } = await stored(id);
  expect({ metrics, period, role }).toEqual({
    metrics: [{ ...metric, value: "15" }],
    period: "2025",
    role: "Design",
  });
  await assertAgreement("harbour-map");
});

describe("an image that a run has a project show", () => {
  const srcs = (gallery: { src: string }[]) => gallery.map(({ src }) => src);
  const removeOther = async () => {
    const item = (await findMediaBySrc(app.db, [other])).get(other);
    expect(await deleteMedia(app.db, item?.id ?? 0)).toBe(true);
  };

  test("is in use while the run is open, and no longer once it is discarded", async () => {
    await createHarbour();
    const runId = await editAll();
    expect(await listRunsUsing(app.db, other)).toEqual([runId]);
    await app.runs.discard(runId);
    expect(await listRunsUsing(app.db, other)).toEqual([]);
  });

  test("and that is gone all the same is named by a refusal that changes nothing", async () => {
    const id = await createHarbour();
    const runId = await editAll();
    await removeOther();
    await expect(app.runs.publish(runId)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(other),
    });
    expect(await app.runs.get(runId)).toMatchObject({ status: "preview_ready" });
    expect(await stored(id)).toMatchObject({ version: 1, metrics: [metric] });
  });

  test("doesn't come back by an undo once it has been deleted", async () => {
    const id = await createHarbour();
    await publish(await editAll());
    const without = await app.edit(
      scriptedAgent(async ({ records }) => {
        const [item] = (await records.read("harbour-map")).gallery as { src: string }[];
        await records.setField("harbour-map", "gallery", [item]);
      }),
    );
    await publish(without);
    await removeOther();
    const undo = await app.runs.restore(without);
    await app.runs.waitUntilFinished(undo.runId);
    expect((await app.runs.get(undo.runId)).status).toBe("failed");
    expect(srcs((await stored(id)).gallery)).toEqual([image]);
  });
});

test("a draft is created at publish, seen by nobody, and removed by the undo", async () => {
  await createHarbour();
  const runId = await app.edit(
    scriptedAgent(async ({ records }) => {
      const { slug } = await records.createDraft({ name: "Night ferry", summary: "Not yet." });
      await records.setField(slug, "metrics", [metric]);
    }),
  );
  expect(await findProject(app.db, { slug: "night-ferry" })).toBeNull();
  await publish(runId);
  expect(await findProject(app.db, { slug: "night-ferry" })).toMatchObject({
    status: "draft",
    audience: "everyone",
    summary: "Not yet.",
    metrics: [metric],
  });
  await assertAgreement("harbour-map");
  expect(await liveBytes()).not.toMatch(/night.ferry/i);
  const undo = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(undo.runId);
  expect((await app.runs.get(undo.runId)).status).toBe("published");
  expect(await findProject(app.db, { slug: "night-ferry" })).toBeNull();
});

test("an undo never removes a draft that got a private brief, and says which", async () => {
  await createHarbour();
  const runId = await app.edit(
    scriptedAgent(async ({ records }) => void (await records.createDraft({ name: "Night ferry" }))),
  );
  await publish(runId);
  const draft = await findProject(app.db, { slug: "night-ferry" });
  if (draft === null) throw new Error("The draft is gone.");
  await save(draft.id, { brief: "Do not tell." });
  const { runId: undoId } = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(undoId);
  const { status, error } = await app.runs.get(undoId);
  expect(status).toBe("failed");
  expect(error).toContain("the whole project “Night ferry”");
  expect(error).toContain("Change them back and undo again");
  expect(error).not.toMatch(/Do not tell|Choose which version/);
  expect(await findProject(app.db, { slug: "night-ferry" })).toMatchObject({ status: "draft" });
  // Nothing is left to decide, and without the brief the undo goes through.
  await save(draft.id, { brief: "" });
  const again = await app.runs.restore(runId);
  await app.runs.waitUntilFinished(again.runId);
  expect((await app.runs.get(again.runId)).status).toBe("published");
  expect(await findProject(app.db, { slug: "night-ferry" })).toBeNull();
});

test("follow-ups go on from the changes, a discarded run leaves none", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(changeMetric("15")));
  app.use(
    scriptedAgent(async ({ records }) => {
      expect((await records.read("harbour-map")).metrics).toEqual([{ ...metric, value: "15" }]);
      await records.setField("harbour-map", "summary", "Shorter.");
    }),
  );
  const next = await app.runs.start({ instruction: "And shorter", continues: runId });
  await app.runs.waitUntilFinished(next.runId);
  const paths = (await app.runs.getDiff(next.runId)).files.map(({ path }) => path);
  expect(paths).toEqual(["projects/harbour-map/metrics", "projects/harbour-map/summary"]);
  const before = await stored(id);
  await app.runs.discard(next.runId);
  expect(await stored(id)).toEqual(before);
});

test("a follow-up that takes every change of a record back leaves no preview of it", async () => {
  const id = await createHarbour();
  const runId = await app.edit(scriptedAgent(changeMetric("15")));
  const before = await stored(id);
  app.use(scriptedAgent(changeMetric("12")));
  const next = await app.runs.start({ instruction: "Undo that", continues: runId });
  await app.runs.waitUntilFinished(next.runId);
  for (const ended of [runId, next.runId]) {
    expect(await app.runs.get(ended)).toMatchObject({ status: "discarded" });
    await expect(app.runs.publish(ended)).rejects.toMatchObject({ code: "invalid_state" });
  }
  expect(await stored(id)).toEqual(before);
});

test("values go by the rules of the owner's form, and the agent is told which", async () => {
  await createHarbour();
  const told: string[] = [];
  const refused = async (work: Promise<unknown>) =>
    told.push(await work.then(String, (error: Error) => `${error.name}: ${error.message}`));
  await app.edit(
    scriptedAgent(async ({ records }) => {
      await refused(records.setField("harbour-map", "metrics", [{ value: "", label: "x" }]));
      await refused(records.setField("harbour-map", "summary", "x".repeat(281)));
      await refused(records.setField("harbour-map", "gallery", [{ src: "/media/2026/no.webp" }]));
      await refused(records.setField("elsewhere", "summary", "x"));
    }),
  );
  expect(told).toEqual([
    "ToolRefusal: Invalid: metrics.0.value can't be empty.",
    "ToolRefusal: Invalid: summary must be at most 280 characters.",
    expect.stringContaining("There is no /media/2026/no.webp that this project may show"),
    expect.stringContaining("There is no project elsewhere here"),
  ]);
});

test("abuse 119: a restricted project is shown to no run but one that names it, nor its images", async () => {
  await createHarbour();
  const gallery = [{ src: other, caption: "" }];
  await create({ name: "Inner circle", audience: "members", summary: "For some.", gallery });
  await create({ name: "Night ferry", status: "draft", brief: "Do not tell." });
  const seen: string[] = [];
  const look = scriptedAgent(async ({ records }) => {
    seen.push(JSON.stringify(await records.list()), JSON.stringify(await records.listImages("")));
    await expect(records.read("inner-circle")).rejects.toThrow("There is no project");
    const steal = records.setField("harbour-map", "gallery", [{ src: other, caption: "" }]);
    await expect(steal).rejects.toThrow("may show");
    const inText = records.setField("harbour-map", "body", `![x](${other})`);
    await expect(inText).rejects.toThrow("may show");
  });
  await app.edit(look, "Look at all projects");
  expect(seen.join()).toContain("Harbour map");
  expect(seen.join()).not.toMatch(/Inner|For some|Night|Do not tell|boats/);
  const runId = await app.edit(
    scriptedAgent(async ({ records }) => {
      seen.push(JSON.stringify(await records.list()));
      await records.setField("inner-circle", "summary", "For a few.");
    }),
    "Shorten the summary of inner-circle",
  );
  expect(seen.at(-1)).toContain("For some.");
  expect(seen.at(-1)).not.toMatch(/Night|Do not tell/);
  await publish(runId);
  expect(await findProject(app.db, { slug: "inner-circle" })).toMatchObject({
    summary: "For a few.",
    audience: "members",
  });
  expect(await liveBytes()).not.toMatch(/inner.circle|For a few|For some/i);
});

test("a model has tools for all of it, and reads why something is refused", async () => {
  const id = await createHarbour();
  const call = (name: string, input: object) => ({ name, input });
  const project = "harbour-map";
  await using server = await (async () => {
    const started = await startModelServer([
      { calls: [call("list_projects", {}), call("list_library_images", { search: "boats" })] },
      {
        calls: [
          call("set_project_field", { project, field: "metrics", value: [{ value: "15" }] }),
          call("edit_project_text", { project, field: "body", search: "Two", replace: "Three" }),
        ],
      },
      {
        calls: [
          call("set_project_field", { project, field: "stack", value: '["Astro"]' }),
          call("edit_project_text", { project, field: "body", search: "One", replace: "Three" }),
          call("arrange_gallery", {
            project,
            items: [{ src: other, alt: "Boats" }, { src: image }],
          }),
          call("create_project_draft", { name: "Night ferry", categories: ["Maps"] }),
          call("read_project", { project, field: "body" }),
        ],
      },
      { text: "Done.\n\nCommit: Renew the harbour map" },
    ]);
    return { ...started, requests: started.requests, [Symbol.asyncDispose]: started.close };
  })();
  const config = { provider: "openai-compatible", id: "m", baseUrl: server.url } as const;
  const choice = { config, apiKey: null, abilities: null, from: "file" } as const;
  const runId = await app.edit(makeEditor(choice));
  const seen = server.requests.map(({ raw }) => raw);
  expect(seen[1]).toContain("harbour-map · Harbour map · published, for everyone");
  expect(seen[1]).toContain(other);
  expect(seen[2]).toContain("metrics.0.label is required");
  expect(seen[2]).toContain("This text is not in the file");
  expect(seen[3]).toContain("Three ferry.");
  await publish(runId);
  expect(await stored(id)).toMatchObject({
    stack: ["Astro"],
    body: "Three ferry.",
    gallery: [
      { src: other, caption: "", alt: "Boats" },
      { src: image, caption: "The quay" },
    ],
  });
  expect(await findProject(app.db, { slug: "night-ferry" })).toMatchObject({ status: "draft" });
  const asked = await startModelServer([{ text: "A map." }]);
  const own = { ...choice, config: { ...config, baseUrl: asked.url } };
  await app.edit(makeEditor(own), "What is it?", "ask");
  const names = asked.requests[0]?.tools.filter((name) => /project|library/.test(name));
  expect(names).toEqual(["list_projects", "read_project", "list_library_images"]);
  await asked.close();
});

describe("the literal editor", () => {
  const change = (instruction: string) => app.edit(makeLiteralEditor(), instruction);

  test("replaces an exact text in a record, in the run's preview and then in the record", async () => {
    const id = await createHarbour();
    const runId = await change('replace "One ferry" with "Two ferries"');
    expect(await app.runs.get(runId)).toMatchObject({
      status: "preview_ready",
      summary: "Replaced “One ferry” with “Two ferries” (body of harbour-map).",
    });
    expect(await previewPage(runId, "harbour-map")).toContain("Two ferries.");
    await publish(runId);
    expect((await stored(id)).body).toBe("Two ferries.");
    await assertAgreement("harbour-map");
  });

  test("asks which is meant where several places fit, and changes all everywhere", async () => {
    const id = await createHarbour();
    await create({ name: "Night ferry", summary: "One ferry at night." });
    const unclear = await app.runs.get(await change('replace "One ferry" with "Two ferries"'));
    expect(unclear.status).toBe("failed");
    expect(unclear.error).toContain("`on /projects/harbour-map` or `on /projects/night-ferry`");
    await publish(await change('replace "One ferry" with "Two ferries" everywhere'));
    expect((await stored(id)).body).toBe("Two ferries.");
    const night = await findProject(app.db, { slug: "night-ferry" });
    expect(night?.summary).toBe("Two ferries at night.");
  });

  test("changes a link in a record's text, and nothing else of it", async () => {
    const id = await createHarbour();
    const body = "See [me](/aboutt/ '/aboutt/') and `[x](/aboutt/)`.";
    await save(id, { body });
    await publish(await change('change the link "/aboutt/" to "/about/"'));
    expect((await stored(id)).body).toBe("See [me](/about/ '/aboutt/') and `[x](/aboutt/)`.");
    await assertAgreement("harbour-map");
  });

  test("asks which link is meant where several records have it", async () => {
    const ids = [await createHarbour(), (await create({ name: "Night ferry" })).id];
    for (const id of ids) await save(id, { body: "[me](/aboutt/) [x](/aboutt/x)" });
    const unclear = await app.runs.get(await change('change the link "/aboutt/" to "/about/"'));
    expect(unclear.error).toContain("`on /projects/harbour-map` or `on /projects/night-ferry`");
    await publish(await change('change the link "/aboutt/" to "/about/" everywhere'));
    for (const id of ids) expect((await stored(id)).body).toBe("[me](/about/) [x](/aboutt/x)");
  });

  test("sets alt texts of a gallery and of images in a text", async () => {
    const id = await createHarbour();
    await save(id, {
      body: `![](${other})`,
      gallery: [{ src: image, caption: "The quay" }, { src: other }],
    });
    const runId = await change(`set the alt text of "${image}" to "A quay [at night]"`);
    await publish(runId);
    expect((await stored(id)).gallery[0]).toEqual({
      src: image,
      caption: "The quay",
      alt: "A quay [at night]",
    });
    const twice = await app.runs.get(await change('set the alt text of "abc-boats" to "Boats"'));
    expect(twice.error).toContain("appears in 2 places");
    await publish(await change('set the alt text of "abc-boats" to "Boats" everywhere'));
    const { body, gallery } = await stored(id);
    expect(body).toBe(`![Boats](${other})`);
    expect(gallery.map(({ alt }) => alt)).toEqual(["A quay [at night]", "Boats"]);
    await assertAgreement("harbour-map");
  });

  test("changes no link of a draft or a restricted project that isn't named", async () => {
    const body = "[me](/aboutt/)";
    const draft = await create({ name: "Night ferry", body, status: "draft" });
    const some = await create({ name: "Inner circle", body, audience: "members" });
    const run = await app.runs.get(
      await change('change the link "/aboutt/" to "/about/" everywhere'),
    );
    expect(run.error).toContain("wasn't found");
    for (const { id } of [draft, some]) expect((await stored(id)).body).toBe(body);
  });

  test("knows no restricted project that isn't named", async () => {
    await create({ name: "Inner circle", audience: "members", summary: "For some." });
    const { error } = await app.runs.get(await change('replace "For some" with "For all"'));
    expect(error).toContain("wasn't found");
  });
});

describe("abuse 84: a publish that is cut off", () => {
  let id: number;
  let runId: string;

  /** Publishes a run until this step is over, where its process stops for ever. */
  async function publishUntil(step: PublishStep): Promise<RunsOfProcess> {
    id = await createHarbour();
    const reached = Promise.withResolvers<void>();
    const dying = app.another({
      onStep: (name) => {
        if (name !== step) return;
        reached.resolve();
        return new Promise<void>(() => {});
      },
    });
    runId = await app.edit(scriptedAgent(changeMetric("15")));
    void dying.runs.publish(runId);
    await reached.promise;
    return dying;
  }

  async function recoverFrom(dying: RunsOfProcess): Promise<RunsOfProcess> {
    dying.die();
    const next = app.another();
    await next.runs.recover();
    return next;
  }

  const saveMetric = () => save(id, { metrics: [{ ...metric, value: "13" }] });

  test.each(["intent", "commit", "staged", "ready"] as const)(
    "after %s leaves nothing, and it can be published again",
    async (step) => {
      const dying = await publishUntil(step);
      await expect(saveMetric()).rejects.toMatchObject({ code: "locked" });
      await save(id, { summary: "Meanwhile." });
      const { runs } = await recoverFrom(dying);
      expect((await runs.get(runId)).status).toBe("preview_ready");
      expect(await stored(id)).toMatchObject({ metrics: [metric], summary: "Meanwhile." });
      await runs.publish(runId);
      expect((await stored(id)).metrics).toEqual([{ ...metric, value: "15" }]);
      await assertAgreement("harbour-map");
    },
  );

  test.each(["moved", "content", "released"] as const)(
    "after %s leaves all of it, whatever somebody saves meanwhile",
    async (step) => {
      const dying = await publishUntil(step);
      await expect(saveMetric()).rejects.toMatchObject({ code: "locked" });
      await expect(projects.remove({ id })).rejects.toMatchObject({ code: "locked" });
      const { runs } = await recoverFrom(dying);
      expect((await runs.get(runId)).status).toBe("published");
      expect((await stored(id)).metrics).toEqual([{ ...metric, value: "15" }]);
      await assertAgreement("harbour-map");
      await saveMetric();
    },
  );

  test.each(["recorded", "pruned"] as const)("after %s is over", async (step) => {
    const dying = await publishUntil(step);
    await assertAgreement("harbour-map");
    await saveMetric();
    const { runs } = await recoverFrom(dying);
    expect((await runs.get(runId)).status).toBe("published");
    expect((await stored(id)).metrics).toEqual([{ ...metric, value: "13" }]);
  });
});
