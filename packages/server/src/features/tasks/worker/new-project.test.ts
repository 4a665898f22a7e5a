import { type StoredImage, storeImage } from "../../../../../../test/support/stored-image.ts";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type RunsApp,
  type RunsOfProcess,
  startRunsApp,
} from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { isoTime } from "../../../kit/time.ts";
import type { AgentContext } from "../../agent/agent.ts";
import { makeLiteralEditor } from "../../agent/literal.ts";
import { exportRecords } from "../../projects/export.ts";
import { makeProjects, type Projects } from "../../projects/projects.ts";
import { findProject } from "../../projects/store.ts";
import type { PublishStep } from "../../release/finalize.ts";
import { changelogDefinition } from "../../settings/site-settings.ts";
import { putSetting } from "../../settings/store.ts";
import type { NewProjectStatus } from "../schema.ts";
import { approveTask } from "../queue/queue.ts";
import type { TaskRow } from "../store.ts";

let app: RunsApp;
let tasks: TestTasks;
let projects: Projects;
let quay: StoredImage;
let boats: StoredImage;

const mediaRoot = () => join(app.paths.content, "app/public");

beforeEach(async () => {
  app = await startRunsApp();
  tasks = tasksOn(app);
  projects = makeProjects({
    ownerName: "Mara",
    db: app.db,
    clock: app.admin.clock,
    mediaRoot: mediaRoot(),
    onChange: async () => {},
  });
  quay = await storeImage(app, "quay");
  boats = await storeImage(app, "boats");
  await projects.create({ name: "Harbour map", status: "published", summary: "A map." });
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const text = { summary: "Twelve ferries a night.", body: "## The problem\n\nToo dark." };
const metrics = [{ value: "12", label: "ferries a night" }];
const gallery = () => [
  { src: quay.src, caption: "The quay", alt: "A quay at night" },
  { src: boats.src, caption: "The boats", alt: "Two boats" },
];

async function makeCaseStudy({ records }: AgentContext, images = gallery()): Promise<string> {
  const { slug } = await records.createDraft({ name: "Night ferry", ...text, metrics });
  await records.setField(slug, "gallery", images);
  return slug;
}

const agent = () => scriptedAgent(async (context) => void (await makeCaseStudy(context)));

const newTask = (projectStatus: NewProjectStatus) =>
  tasks.create({
    kind: "project",
    projectStatus,
    instruction: "Night ferry: lights for the quay, twelve ferries a night",
    attachments: [quay.id, boats.id],
  });

const ferry = () => findProject(app.db, { slug: "night-ferry" });
const ferryPage = () =>
  readFile(join(app.paths.current, "projects/night-ferry/index.html"), "utf8").catch(() => null);
const repository = () => app.git("show", "main:database/projects.json");

/** All bytes of the live site by their paths. */
async function liveFiles(): Promise<Record<string, string>> {
  const entries = await readdir(app.paths.current, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const pairs = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [file.slice(app.paths.current.length), await readFile(file, "latin1")] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

/** Publishes something, so that there is a live site. */
async function goLive(): Promise<void> {
  const runId = await app.edit(
    scriptedAgent((context) => writePage(context, "about.html", "<h1>Mara</h1>\n")),
  );
  await app.runs.publish(runId);
}

async function approve({ id }: TaskRow): Promise<TaskRow> {
  await approveTask({ db: app.db, clock: app.admin.clock }, id, "Mara");
  return tasks.settled(id);
}

async function undo({ run_id: runId }: TaskRow) {
  const { runId: undoId } = await app.runs.restore(runId ?? "");
  await app.runs.waitUntilFinished(undoId);
  return app.runs.get(undoId);
}

/** Asserts that database, repository and release have the project, all three alike. */
async function assertLive(): Promise<void> {
  const stored = await ferry();
  expect(stored).toMatchObject({ status: "published", audience: "everyone", gallery: gallery() });
  expect(await repository()).toBe(await exportRecords(app.db));
  const shown = JSON.parse(((await ferryPage()) ?? "").replace(/<\/?pre>/g, "")) as object;
  const { slug, summary, metrics: numbers, updatedAt } = stored ?? {};
  expect(shown).toMatchObject({ slug, summary, metrics: numbers, updatedAt });
}

async function assertGone(): Promise<void> {
  expect(await ferry()).toBeNull();
  expect(await ferryPage()).toBeNull();
  expect(await repository()).toBe(await exportRecords(app.db));
}

test("a draft goes through unattended, complete and in order, and visitors see nothing of it", async () => {
  await goLive();
  const before = await liveFiles();
  const entries = await tasks.changelog();
  app.use(agent());
  const { id } = await newTask("draft");
  const task = await tasks.settled(id);
  expect(task).toMatchObject({ status: "published", error: null, review: "[]" });
  const draft = await ferry();
  expect(draft).toMatchObject({ status: "draft", ...text, metrics, gallery: gallery() });
  expect(task.project_id).toBe(draft?.id);
  expect(await liveFiles()).toEqual(before);
  expect(await tasks.changelog()).toEqual(entries);
  expect(await repository()).toBe(await exportRecords(app.db));
  expect((await undo(task)).status).toBe("published");
  await assertGone();
  expect((await tasks.get(id)).project_id).toBeNull();
});

test("a project to be published waits, is previewed as it will be, goes live whole and comes back", async () => {
  await goLive();
  app.use(agent());
  const { id } = await newTask("published");
  const waiting = await tasks.settled(id);
  expect(waiting.status).toBe("needs_review");
  expect(waiting.review).toContain("the new project “Night ferry”");
  expect([await ferry(), await ferryPage()]).toEqual([null, null]);
  const { artifactSha } = await app.runs.getPreview(waiting.run_id ?? "");
  const previewDir = join(app.paths.artifacts, artifactSha, "projects/night-ferry");
  const preview = await readFile(join(previewDir, "index.html"), "utf8");
  expect(preview).toContain("Twelve ferries a night.");

  const live = await approve(waiting);
  expect(live).toMatchObject({ status: "published", project_id: (await ferry())?.id });
  expect(await ferryPage()).toBe(preview);
  await assertLive();
  expect((await tasks.changelog())[0]).toMatchObject({
    kind: "content",
    title: "Published “Night ferry”",
    detail: "",
    actor: "Editor",
  });

  const undone = await undo(live);
  expect(undone).toMatchObject({ status: "published", error: null });
  await assertGone();
  const { runId: redoId } = await app.runs.restore(undone.id);
  await app.runs.waitUntilFinished(redoId);
  await assertLive();
});

test("an undo of a project that has been changed or unpublished since is refused", async () => {
  app.use(agent());
  const { id } = await newTask("published");
  const live = await approve(await tasks.settled(id));
  const { id: projectId = 0, version = 0 } = (await ferry()) ?? {};
  await projects.save({ id: projectId, version, status: "draft" });
  expect((await undo(live)).status).toBe("failed");
  expect(await ferry()).toMatchObject({ status: "draft" });
});

test("an address that somebody takes before the approval is the project's no more, anywhere", async () => {
  app.use(agent());
  const { id } = await newTask("published");
  const waiting = await tasks.settled(id);
  await projects.create({ name: "Night ferry", summary: "Another one." });
  await approve(waiting);
  expect(await findProject(app.db, { slug: "night-ferry-2" })).toMatchObject(text);
  const pages = await readdir(join(app.paths.current, "projects"));
  expect(pages.toSorted()).toEqual(["harbour-map", "night-ferry-2"]);
  expect(await repository()).toBe(await exportRecords(app.db));
});

test("the changelog says nothing of a new project where its owner has switched that off", async () => {
  const value = JSON.stringify({ published: false, changed: true, unpublished: true });
  await putSetting(app.db, changelogDefinition.name, { value, sealed: null }, isoTime(0));
  const entries = await tasks.changelog();
  app.use(agent());
  const { id } = await newTask("published");
  await approve(await tasks.settled(id));
  await assertLive();
  expect(await tasks.changelog()).toEqual(entries);
});

test("the agent makes one project, shows only what was attached, and changes nothing else", async () => {
  const refused: string[] = [];
  const other = await storeImage(app, "other");
  app.use(
    scriptedAgent(async (context) => {
      const { records, mayWriteFiles } = context;
      const note = (error: Error) => void refused.push(error.message);
      const slug = await makeCaseStudy(context);
      await records.createDraft({ name: "Second" }).catch(note);
      await records.setField("harbour-map", "summary", "Mine.").catch(note);
      const foreign = { src: other.src, caption: "", alt: "Another" };
      await records.setField(slug, "gallery", [...gallery(), foreign]).catch(note);
      await records.setField(slug, "body", `![Another](${other.src})`).catch(note);
      const mute = gallery().map(({ src, caption }) => ({ src, caption }));
      await records.setField(slug, "gallery", mute).catch(note);
      refused.push(`files: ${mayWriteFiles}`);
    }),
  );
  const { id } = await newTask("draft");
  expect(await tasks.settled(id)).toMatchObject({ status: "published" });
  expect(refused).toEqual([
    "This run creates one project, and night-ferry already exists. Change that one.",
    "This run creates a new project and can't change another: harbour-map stays as it is.",
    `Only the images attached to the brief may be shown: not ${other.src}.`,
    `Only the images attached to the brief may be shown: not ${other.src}.`,
    `Each image needs alt text: ${quay.src}, ${boats.src} has none.`,
    "files: false",
  ]);
  expect(await ferry()).toMatchObject({ ...text, gallery: gallery() });
  expect(await findProject(app.db, { slug: "harbour-map" })).toMatchObject({ summary: "A map." });
});

test("a run that makes no project is reverted with its reason", async () => {
  app.use(scriptedAgent(async () => ({ summary: "The brief names no work." })));
  const { id } = await newTask("draft");
  expect(await tasks.settled(id)).toMatchObject({
    status: "reverted",
    error: "No case study was made: The brief names no work.",
    project_id: null,
  });
});

test("a run that changes files and makes no project leaves nothing of either", async () => {
  app.use(scriptedAgent((context) => writePage(context, "about.html", "<h1>No</h1>\n")));
  const { id } = await newTask("published");
  expect(await tasks.settled(id)).toMatchObject({ status: "reverted", project_id: null });
  expect(await tasks.left()).toEqual([]);
});

test("attached images that the project doesn't show are named", async () => {
  app.use(
    scriptedAgent(async (context) => {
      await makeCaseStudy(context, gallery().slice(0, 1));
      return { summary: "Made the case study." };
    }),
  );
  const { id } = await newTask("draft");
  const { run_id: runId } = await tasks.settled(id);
  expect((await app.runs.get(runId ?? "")).summary).toBe(
    "Made the case study. The attached image boats.png is not used.",
  );
});

test("the first message has the rules of a case study; that of another task has not", async () => {
  const first = agent();
  app.use(first);
  await tasks.settled((await newTask("draft")).id);
  expect(first.messages[0]).toContain("brief of a new case study");
  const second = scriptedAgent(async () => {});
  app.use(second);
  await tasks.settled((await tasks.create({})).id);
  expect(second.messages[0]).not.toContain("case study");
});

test("without a model it waits, and the rest of the queue doesn't", async () => {
  app.use(makeLiteralEditor());
  const { id } = await newTask("draft");
  const other = await tasks.create({ instruction: 'change "About" to "Who" on /about' });
  expect(await tasks.settled(id)).toMatchObject({
    status: "queued",
    waiting: "This needs a language model. Choose one under Settings → Model.",
    attempts: 0,
  });
  expect((await tasks.get(other.id)).status).not.toBe("queued");
});

describe("a process that is killed while it publishes the new project", () => {
  let runId: string;

  /** Approves until this step is over, where the process stops for ever. */
  async function publishUntil(step: PublishStep): Promise<RunsOfProcess> {
    app.use(agent());
    const { id } = await newTask("published");
    runId = (await tasks.settled(id)).run_id ?? "";
    const reached = Promise.withResolvers<void>();
    const dying = app.another({
      onStep: (name) => {
        if (name !== step) return;
        reached.resolve();
        return new Promise<void>(() => {});
      },
    });
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

  test.each(["intent", "commit", "staged", "ready"] as const)(
    "after %s leaves nothing of it, and it can be published again",
    async (step) => {
      const { runs } = await recoverFrom(await publishUntil(step));
      expect((await runs.get(runId)).status).toBe("preview_ready");
      expect([await ferry(), await ferryPage()]).toEqual([null, null]);
      await runs.publish(runId);
      await assertLive();
    },
  );

  test.each(["moved", "content", "released", "recorded", "pruned"] as const)(
    "after %s leaves all of it",
    async (step) => {
      const { runs } = await recoverFrom(await publishUntil(step));
      expect((await runs.get(runId)).status).toBe("published");
      await assertLive();
    },
  );
});
