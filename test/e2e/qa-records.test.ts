import { afterAll, beforeAll, expect, test } from "vitest";
import type { MediaItem } from "../../packages/server/src/features/media/schema.ts";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import type { FindingRecord } from "../../packages/server/src/features/qa/schema.ts";
import type { Task } from "../../packages/server/src/features/tasks/schema.ts";
import { useModel } from "../support/scripted-model.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import {
  type ModelServer,
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../support/model-server.ts";
import { callTool, describeImage, hasImage } from "../support/vision-model.ts";

const slug = "field-notes-for-rangers";
const path = `/projects/${slug}/`;
/** Its library entry has alt text. */
const contours = "/media/2026/45ca45183824-field-contours.webp";
/** Its library entry has none: somebody has to look at it. */
const four = "/media/2026/0dc77c65c992-field-four.webp";
/** Shorter than search results can use. */
const shortSummary = "Short notes.";
const seenByModel = "Four large buttons on a telephone screen.";
/** Builds, publishes and QA runs, one after the other, on a busy machine. */
const timeoutMs = 240_000;

let model: ModelServer;
let instance: TestInstance;
let admin: AdminClient;

const call = (name: string, input: object) => ({ name, input });

/** Passes the test of its abilities, then reads the project and describes the one image. */
function respond(request: SeenRequest): ModelStep | Promise<ModelStep> {
  const { raw, tools } = request;
  if (tools.includes("note_word")) return callTool(request);
  if (tools.length === 0 && hasImage(request)) return describeImage(request);
  if (!raw.includes("I read the project.")) {
    return { text: "I read the project.", calls: [call("read_project", { project: slug })] };
  }
  if (!raw.includes("I describe the image.")) {
    const items = gallery.map(({ src }) => (src === four ? { src, alt: seenByModel } : { src }));
    const arrange = call("arrange_gallery", { project: slug, items });
    return { text: "I describe the image.", calls: [arrange] };
  }
  return { text: "Summary: The image is described.\nCommit: Describe an image" };
}

let gallery: ProjectDetail["gallery"] = [];

async function readProject(): Promise<ProjectDetail> {
  return (await admin.get<ProjectDetail>(`/api/adminprojects/get?slug=${slug}`)).data;
}

const caseStudy = async () => (await fetch(instance.baseUrl + path)).text();

async function findings(): Promise<FindingRecord[]> {
  const query = new URLSearchParams({ pageUrl: path, perPage: "100" });
  const answer = await admin.get<{ items: FindingRecord[] }>(`/api/adminqa/findings?${query}`);
  return answer.data.items;
}

const isAbout = (words: string) => (finding: FindingRecord) =>
  ["link.internal-broken", "img.alt-empty-content", "meta.description-length"].includes(
    finding.check,
  ) && (finding.target ?? "").includes(words);

async function findingOf(words: string): Promise<FindingRecord> {
  const [found, ...others] = (await findings()).filter(isAbout(words));
  expect(others).toEqual([]);
  if (found === undefined) throw new Error(`Nothing is found of ${words}.`);
  return found;
}

/** Has a finding fixed, and waits until its task is live and the next QA run has closed it. */
async function fixLive(words: string, note?: string): Promise<Task> {
  const { id } = await findingOf(words);
  const body = { findingId: id, ...(note !== undefined && { instruction: note }) };
  const queued = await admin.post<Task>("/api/adminqa/fix", body);
  expect(queued).toMatchObject({ ok: true });
  await eventually(async () => {
    const { data } = await admin.get<Task>(`/api/admintasks/get?id=${queued.data.id}`);
    expect([data.status, data.error, data.review]).toEqual(["published", null, []]);
  }, timeoutMs);
  await eventually(async () => expect((await findingOf(words)).status).toBe("fixed"), timeoutMs);
  return queued.data;
}

/** Breaks a link of the body, takes two alt texts away and shortens the summary, as an owner might. */
async function breakProject(): Promise<void> {
  const { id, version, body, gallery: before, media } = await readProject();
  gallery = before;
  for (const item of gallery) if ([contours, four].includes(item.src)) item.alt = "";
  const described = media.find(({ src }) => src === four) as MediaItem;
  const cleared = await admin.post("/api/media/update", { id: described.id, alt: "" });
  expect(cleared).toMatchObject({ ok: true });
  const broken = `${body}\n\nMore [about me](/aboutt/).`;
  const saved = { id, version, body: broken, gallery, summary: shortSummary };
  expect(await admin.post("/api/adminprojects/save", saved)).toMatchObject({ ok: true });
  await eventually(async () => expect(await caseStudy()).toContain('href="/aboutt/"'), timeoutMs);
}

beforeAll(async () => {
  model = await startModelServer(Array.from({ length: 20 }, () => respond));
  const config = {
    qa: { autofix: false, intervalMinutes: 0 },
    limits: { qa: { browserPages: 1 } },
  };
  instance = await startInstance({ config });
  admin = await signIn(instance);
  await breakProject();
  await admin.post("/devconsole/qa/run", {});
  // Where a finding comes from is looked up once the run has stored it.
  await eventually(async () => {
    for (const words of ["/aboutt/", "field-contours", "field-four", shortSummary]) {
      const { isAssessed } = await findingOf(words);
      if (!isAssessed) throw new Error(`Where ${words} comes from hasn't been looked up yet.`);
    }
  }, timeoutMs);
}, 480_000);

afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await model?.close();
});

test("findings of a case study name its fields and what their fix needs", async () => {
  const { id: projectId } = await readProject();
  const source = { kind: "record", projectId, slug, name: "Field Notes for Rangers" };
  expect(await findingOf("/aboutt/")).toMatchObject({
    source: { ...source, field: "body", item: null },
    fix: { kind: "exact", refusal: null },
    isAutoFixable: true,
  });
  expect(await findingOf("field-contours")).toMatchObject({
    source: { ...source, field: "gallery", item: 2 },
    fix: { kind: "exact", refusal: null },
    isAutoFixable: true,
  });
  expect(await findingOf("field-four")).toMatchObject({
    source: { ...source, field: "gallery", item: 3 },
    fix: { kind: "model", refusal: "no_model" },
    isAutoFixable: false,
  });
});

test("a link and alt text are fixed without a model, even with a note", async () => {
  await fixLive("/aboutt/", "Please make it sound warmer");
  expect(await caseStudy()).toContain('href="/about/"');
  expect((await readProject()).body).toContain("More [about me](/about/).");
  await fixLive("field-contours");
  const { gallery: after } = await readProject();
  expect(after.find(({ src }) => src === contours)?.alt).not.toBe("");
  expect(await instance.git("log", "-1", "--format=%B", "main")).toMatch(/^Actor: Web Designer$/m);
}, 480_000);

test("a description is set without a model if the owner gives the exact text", async () => {
  const finding = await findingOf(shortSummary);
  expect(finding.source).toMatchObject({ kind: "record", slug, field: "summary" });
  const refused = await admin.post("/api/adminqa/fix", { findingId: finding.id });
  expect(refused).toMatchObject({ ok: false, error: { code: "model_not_configured" } });
  const summary = "Notes that rangers take in the field, legible in the rain.";
  const body = { findingId: finding.id, instruction: `set the description to "${summary}"` };
  const { data: task } = await admin.post<Task>("/api/adminqa/fix", body);
  const reach = (status: Task["status"]) =>
    eventually(async () => {
      const { data } = await admin.get<Task>(`/api/admintasks/get?id=${task.id}`);
      expect([data.status, data.error]).toEqual([status, null]);
    }, timeoutMs);
  // The résumé has the summary as well, whose files a person has to look at.
  await reach("needs_review");
  expect(await admin.post("/api/admintasks/approve", { id: task.id })).toMatchObject({ ok: true });
  await reach("published");
  expect((await readProject()).summary).toBe(summary);
  expect(await caseStudy()).toContain(`<meta name="description" content="${summary}"`);
  expect(await caseStudy()).toContain(`<meta property="og:description" content="${summary}"`);
  await eventually(
    async () => expect((await findingOf(shortSummary)).status).toBe("fixed"),
    timeoutMs,
  );
}, 480_000);

test("a fix that needs a model is refused without one and made with one", async () => {
  const { id } = await findingOf("field-four");
  const refused = await admin.post("/api/adminqa/fix", { findingId: id });
  expect(refused).toMatchObject({ ok: false, error: { code: "model_not_configured" } });
  // The session outlives the restart.
  await useModel(instance, model);
  expect((await findingOf("field-four")).fix).toMatchObject({ kind: "model", refusal: null });
  await fixLive("field-four");
  const { gallery: after } = await readProject();
  expect(after.find(({ src }) => src === four)?.alt).toBe(seenByModel);
  expect(await caseStudy()).toContain(seenByModel);
}, 480_000);
