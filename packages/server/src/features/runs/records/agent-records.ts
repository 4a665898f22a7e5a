import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AgentRecords, FileChange } from "../../agent/agent.ts";
import type { AgentProject, RecordField } from "../../agent/records.ts";
import { ToolRefusal } from "../../agent/tools/refusal.ts";
import { compareTexts } from "../../agent/tools/text-work.ts";
import { findMissingFiles } from "../../projects/gallery.ts";
import type { NewDraft } from "../../projects/run-changes/change.ts";
import {
  newMedia,
  parseField,
  stageDraft,
  stageField,
} from "../../projects/run-changes/stage-change.ts";
import { changePath, valueText } from "../../projects/run-changes/value-text.ts";
import type { Execution } from "../execution.ts";
import { lockRun } from "../store.ts";
import { assertMayChange, assertMayCreate, assertOnlyAttached, canChange } from "./new-project.ts";
import { listGivenMedia } from "./restricted-media.ts";
import { listShowableMedia, listUsableMedia } from "./usable-media.ts";
import { listVisibleProjects, readOwnerMessages, type VisibleProject } from "./visible-projects.ts";

const maxListedImages = 100;

function toAgentProject({ fields, status, audience }: VisibleProject): AgentProject {
  return { ...fields, status, audience };
}

/** An error of the record rules as a refusal for the agent: the run continues. */
function asRefusal(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const refused = ["validation_failed", "not_found", "invalid_state"].includes(error.code);
  if (!refused) throw error;
  throw new ToolRefusal("bad_input", error.message, { cause: error });
}

async function findVisible(db: Db, runId: string, slug: string): Promise<VisibleProject> {
  const projects = await listVisibleProjects(db, runId);
  const found = projects.find(({ fields }) => fields.slug === slug);
  if (found) return found;
  throw new ToolRefusal(
    "not_found",
    `There is no project ${slug} here. list_projects lists what there is; drafts and projects that are not for everyone only where the owner names them.`,
  );
}

/** The owner's messages and attachments, which determine the media that may be used. */
async function readMediaInput({ deps, run }: Execution) {
  const { db } = deps;
  const { id } = run.row;
  return {
    visible: await listVisibleProjects(db, id),
    words: await readOwnerMessages(db, id),
    mediaIds: await listGivenMedia(db, id),
  };
}

/** Throws ToolRefusal for media that aren't stored, or that this project may not show. */
async function assertMedia(
  execution: Execution,
  project: VisibleProject,
  after: Pick<NewDraft, "gallery" | "body">,
): Promise<void> {
  const { db, mediaDir } = execution.deps;
  await assertOnlyAttached(db, execution.run, after);
  const added = newMedia(project.fields, after);
  if (added.length === 0) return;
  const allowed = await listShowableMedia(db, project, await readMediaInput(execution));
  const missing = await findMissingFiles(
    mediaDir.replace(/\/media$/, ""),
    after.gallery.filter(({ src }) => added.includes(src)),
  );
  const refused = added.filter((src) => !allowed.has(src) || missing.has(src));
  if (refused.length === 0) return;
  throw new ToolRefusal(
    "not_found",
    `There is no ${refused.join(", ")} that this project may show. list_library_images lists what there is.`,
  );
}

/** In a transaction that locks the run. */
async function change<Result>(
  { deps, run, signal }: Execution,
  work: (trx: Db, at: string) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { db, clock } = deps;
  return db.transaction().execute(async (trx) => {
    if (!(await lockRun(trx, run.row.id, ["running", "building"]))) {
      throw new ToolRefusal("read_only", "The run doesn't work any more.");
    }
    return work(trx, isoTime(clock.now()));
  });
}

function changeOf(
  { deps, signal }: Execution,
  slug: string,
  field: string,
  values: { before: unknown; after: unknown },
): Promise<FileChange> {
  return compareTexts(
    { workers: deps.workers, signal },
    {
      path: changePath(slug, field),
      before: valueText(field, values.before),
      after: valueText(field, values.after),
    },
  );
}

async function setField(
  execution: Execution,
  slug: string,
  field: RecordField,
  value: unknown,
): Promise<FileChange | null> {
  const { deps, run } = execution;
  const project = await findVisible(deps.db, run.row.id, slug);
  assertMayChange(run, { projectId: project.projectId, slug });
  const after = parseField(field, value);
  await assertMedia(execution, project, { ...project.fields, [field]: after });
  const isStaged = await change(execution, (trx, at) =>
    stageField(trx, run.row.id, project.record, { field, value: after, at }),
  );
  if (!isStaged) return null;
  return changeOf(execution, slug, field, { before: project.fields[field], after });
}

async function createDraft(
  execution: Execution,
  { name, ...given }: Parameters<AgentRecords["createDraft"]>[0],
): ReturnType<AgentRecords["createDraft"]> {
  const { run } = execution;
  const isPublished = run.newProject === "published";
  const entries = Object.entries({ name, ...given }) as [RecordField, unknown][];
  const fields = Object.fromEntries(
    entries.map(([field, value]) => [field, parseField(field, value)]),
  ) as Partial<NewDraft> & { name: string };
  const empty = { gallery: [], body: "" };
  const draft = { record: "", projectId: null, status: "draft", audience: "everyone" };
  const project = { ...draft, fields: empty as unknown as NewDraft, isPublic: isPublished };
  await assertMedia(execution, project, { ...empty, ...fields });
  const after = await change(execution, async (trx, at) => {
    await assertMayCreate(trx, run);
    const visible = await listVisibleProjects(trx, run.row.id);
    const takenSlugs = new Set(visible.map((one) => one.fields.slug));
    return stageDraft(trx, run.row.id, { fields, takenSlugs, isPublished, at });
  });
  const { slug } = after;
  return { slug, change: await changeOf(execution, slug, "*", { before: null, after }) };
}

async function listImages(execution: Execution, search: string) {
  const media = await listUsableMedia(execution.deps.db, await readMediaInput(execution));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return media
    .filter(({ originalName, alt }) => {
      const text = `${originalName} ${alt}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .slice(0, maxListedImages)
    .map(({ src, originalName: name, alt, width, height, kind }) => {
      return { src, name, alt, width, height, kind };
    });
}

/** The project records for an agent in one run; its changes are stored immediately. */
export function makeAgentRecords(execution: Execution): AgentRecords {
  const { deps, run } = execution;
  const { id } = run.row;
  return {
    list: async () => {
      const projects = await listVisibleProjects(deps.db, id);
      return projects.map((project) => {
        const listed = toAgentProject(project);
        if (!canChange(run, project.projectId)) listed.isReadOnly = true;
        return listed;
      });
    },
    read: async (slug) => toAgentProject(await findVisible(deps.db, id, slug)),
    setField: (slug, field, value) => setField(execution, slug, field, value).catch(asRefusal),
    createDraft: (fields) => createDraft(execution, fields).catch(asRefusal),
    listImages: (search) => listImages(execution, search),
  };
}
