import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeImage } from "../../../../../../test/support/stored-image.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { makeProjects, type Projects } from "../../projects/projects.ts";
import { findProject } from "../../projects/store.ts";
import type { RunDependencies } from "../../runs/run-dependencies.ts";
import { readUnattended } from "../../settings/queue-setting.ts";
import { putSetting } from "../../settings/store.ts";

let app: RunsApp;
let tasks: TestTasks;
let projects: Projects;
/** Called with what a run asks of the site. */
let ask: (question: Parameters<RunDependencies["readSiteContext"]>[0]) => void;

beforeEach(async () => {
  ask = () => {};
  app = await startRunsApp({
    dependencies: {
      async readSiteContext(question) {
        ask(question);
        return { record: null, sources: [], routes: [] };
      },
    },
  });
  tasks = tasksOn(app);
  const mediaRoot = join(app.paths.content, "app/public");
  const { clock } = app.admin;
  projects = makeProjects({
    ownerName: "Mara",
    db: app.db,
    clock,
    mediaRoot,
    onChange: async () => {},
  });
  await projects.create({ name: "Harbour map", status: "published", summary: "A map." });
  await projects.create({ name: "Night ferry", status: "published", summary: "A ferry." });
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const shortens = (slug: string) =>
  scriptedAgent(async ({ records }) => void (await records.setField(slug, "summary", "Shorter.")));

const summaryOf = async (slug: string) => (await findProject(app.db, { slug }))?.summary;

test("a task's own project changes unattended, and the task is live with its record", async () => {
  app.use(shortens("harbour-map"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  expect(await tasks.settled(id)).toMatchObject({ status: "published", error: null });
  expect(await summaryOf("harbour-map")).toBe("Shorter.");
});

test("another project waits for a person", async () => {
  app.use(shortens("night-ferry"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  const waiting = await tasks.settled(id);
  expect(waiting.status).toBe("needs_review");
  expect(JSON.stringify(waiting)).toContain("summary of “Night ferry”");
  expect(await summaryOf("night-ferry")).toBe("A ferry.");
});

test("a metric, a caption and a page change in one task, live together and undone together", async () => {
  const src = "/media/2026/abc-quay.webp";
  await storeImage(app, "quay");
  const { id: projectId, version } = (await findProject(app.db, { slug: "harbour-map" })) ?? {
    id: 0,
    version: 0,
  };
  const metrics = [{ value: "12", label: "ferries" }];
  const gallery = [{ src, caption: "The quay" }];
  await projects.save({ id: projectId, version, metrics, gallery });
  const fields = async () => {
    const project = await findProject(app.db, { id: projectId });
    return [project?.metrics[0]?.value, project?.gallery[0]?.caption];
  };
  const live = async () => [await tasks.page("projects/harbour-map/index.html"), await page()];
  const page = () => tasks.page("about.html");
  app.use(
    scriptedAgent(async (context) => {
      const { records } = context;
      await records.setField("harbour-map", "metrics", [{ ...metrics[0], value: "15" }]);
      await records.setField("harbour-map", "gallery", [{ src, caption: "The new quay" }]);
      await writePage(context, "about.html", "<h1>Fifteen ferries</h1>\n");
    }),
  );
  const { id } = await tasks.create({ instruction: "Harbour map has 15 ferries and a new quay" });
  const task = await tasks.settled(id);
  expect(task).toMatchObject({ status: "published", error: null });
  expect(await fields()).toEqual(["15", "The new quay"]);
  expect((await live()).join()).toMatch(/"15"[\s\S]*The new quay[\s\S]*Fifteen ferries/);
  const { runId } = await app.runs.restore(task.run_id ?? "");
  await app.runs.waitUntilFinished(runId);
  expect(await fields()).toEqual(["12", "The quay"]);
  expect((await live()).join()).not.toMatch(/"15"|The new quay|Fifteen ferries/);
  expect(await page()).toBe("<h1>About</h1>\n");
});

test("a draft waits for a person, for no page shows it", async () => {
  app.use(
    scriptedAgent(async ({ records }) => void (await records.createDraft({ name: "New one" }))),
  );
  const { id } = await tasks.create({ instruction: "Create a draft for New one" });
  expect((await tasks.settled(id)).status).toBe("needs_review");
  expect(await findProject(app.db, { slug: "new-one" })).toBeNull();
});

test("the fix of a finding may change its page's project, and knows no draft that a link names", async () => {
  await projects.create({ name: "Inner circle", summary: "For some." });
  const known: string[] = [];
  app.use(
    scriptedAgent(async ({ records }) => {
      known.push(...(await records.list()).map(({ slug }) => slug));
      await records.setField("harbour-map", "summary", "A better map.");
    }),
  );
  const { id } = await tasks.create({
    kind: "qa-fix",
    instruction: 'change the link "/projects/inner-circle/" to "/projects/" on /about',
    pageUrl: "/projects/harbour-map/",
  });
  expect(await tasks.settled(id)).toMatchObject({ status: "published", error: null });
  expect(known.toSorted()).toEqual(["harbour-map", "night-ferry"]);
  expect(await summaryOf("harbour-map")).toBe("A better map.");
});

test("a task about one project changes no other one, and makes none", async () => {
  const refused: string[] = [];
  const noteRefusal = (error: unknown) => refused.push((error as Error).message);
  app.use(
    scriptedAgent(async ({ records }) => {
      const listed = await records.list();
      refused.push(...listed.flatMap(({ slug, isReadOnly }) => (isReadOnly ? [slug] : [])));
      await records.setField("night-ferry", "summary", "Shorter.").catch(noteRefusal);
      await records.createDraft({ name: "Third" }).catch(noteRefusal);
      await records.setField("harbour-map", "summary", "Shorter.");
    }),
  );
  const project = await findProject(app.db, { slug: "harbour-map" });
  const { id } = await tasks.create({
    kind: "project",
    projectId: project?.id ?? null,
    instruction: "Shorten the summary, and that of Night ferry too",
  });
  expect(await tasks.settled(id)).toMatchObject({ status: "published", error: null });
  expect(refused).toEqual([
    "night-ferry",
    "This run is about one project and can't change another: night-ferry stays as it is.",
    "This run is about one project and can't create another.",
  ]);
  expect([await summaryOf("harbour-map"), await summaryOf("night-ferry")]).toEqual([
    "Shorter.",
    "A ferry.",
  ]);
});

test("a task about a draft knows and changes it, whatever page it names", async () => {
  const draft = await projects.create({ name: "Quiet quay", summary: "A quay." });
  const questions: Parameters<RunDependencies["readSiteContext"]>[0][] = [];
  ask = (question) => questions.push(question);
  let listed: string[] = [];
  app.use(
    scriptedAgent(async ({ records }) => {
      listed = (await records.list()).map(({ slug }) => slug);
      await records.setField("quiet-quay", "summary", "Shorter.");
    }),
  );
  const { id } = await tasks.create({
    kind: "project",
    projectId: draft.id,
    pageUrl: "/about/",
    instruction: "Shorten the summary",
  });
  expect((await tasks.settled(id)).status).toBe("needs_review");
  expect(listed).toContain("quiet-quay");
  expect(questions).toMatchObject([{ pageUrl: "/about/", projectId: draft.id }]);
});

test("attached images that a task's project and pages don't show are named", async () => {
  const [quay, boats, map] = await Promise.all(
    ["quay", "boats", "map"].map((name) => storeImage(app, name)),
  );
  if (!quay || !boats || !map) throw new Error("There are no images.");
  const project = await findProject(app.db, { slug: "harbour-map" });
  app.use(
    scriptedAgent(async (context) => {
      const gallery = [{ src: quay.src, alt: "The quay" }];
      await context.records.setField("harbour-map", "gallery", gallery);
      await writePage(context, "about.html", `<img src="${map.src}" alt="A map">\n`);
      return { summary: "Added the quay." };
    }),
  );
  const { id } = await tasks.create({
    kind: "project",
    projectId: project?.id ?? null,
    instruction: "Add these to Harbour map",
    attachments: [quay.id, boats.id, map.id],
  });
  const { run_id: runId } = await tasks.settled(id);
  expect((await app.runs.get(runId ?? "")).summary).toBe(
    "Added the quay. The attached image boats.png is not used.",
  );
});

test.each([
  ["nothing", "harbour-map", "needs_review"],
  ["safe", "night-ferry", "needs_review"],
  ["all", "night-ferry", "published"],
] as const)("where the owner lets %s go live, %s ends as %s", async (unattended, slug, status) => {
  const now = "2026-01-01T00:00:00.000Z";
  await putSetting(app.db, "tasks.unattended", { value: unattended, sealed: null }, now);
  app.use(shortens(slug));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  const ended = await tasks.settled(id);
  expect(ended.status).toBe(status);
  expect(ended.review.includes('"kind":"setting"')).toBe(unattended === "nothing");
});

test.each(["app/src/content/settings.json", "database/settings.json", ".env"])(
  "what the agent writes into %s doesn't change what goes live unattended",
  async (path) => {
    const now = "2026-01-01T00:00:00.000Z";
    await putSetting(app.db, "tasks.unattended", { value: "nothing", sealed: null }, now);
    app.use(
      scriptedAgent(async ({ root, records }) => {
        const file = join(root, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, '{"tasks.unattended":"all"}\n');
        await records.setField("harbour-map", "summary", "Shorter.");
      }),
    );
    const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
    expect((await tasks.settled(id)).status).not.toBe("published");
    expect(await summaryOf("harbour-map")).toBe("A map.");
    expect(await readUnattended(app.db)).toBe("nothing");
  },
);

test("a restricted project waits under every setting: no comparison sees its pages", async () => {
  const now = "2026-01-01T00:00:00.000Z";
  await putSetting(app.db, "tasks.unattended", { value: "all", sealed: null }, now);
  const ferry = await findProject(app.db, { slug: "night-ferry" });
  const { id: projectId = 0, version = 0 } = ferry ?? {};
  await projects.save({ id: projectId, version, audience: "members" });
  app.use(shortens("night-ferry"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Night ferry" });
  const waiting = await tasks.settled(id);
  expect(waiting.status).toBe("needs_review");
  expect(JSON.parse(waiting.review)).toMatchObject([
    { kind: "unchecked", items: ["summary of “Night ferry”"] },
  ]);
});

test.each([
  ["safe", true],
  ["all", false],
] as const)("under %s the appearance is compared: %s", async (unattended, isCompared) => {
  const now = "2026-01-01T00:00:00.000Z";
  await putSetting(app.db, "tasks.unattended", { value: unattended, sealed: null }, now);
  await tasks.worker.close();
  const jobs: boolean[] = [];
  tasks = tasksOn(app, {
    async review({ comparesAppearance }) {
      jobs.push(comparesAppearance);
      return [];
    },
  });
  app.use(shortens("harbour-map"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  expect((await tasks.settled(id)).status).toBe("published");
  expect(jobs).toEqual([isCompared]);
});
