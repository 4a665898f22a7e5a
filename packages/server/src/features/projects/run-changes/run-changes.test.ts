import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../../test/support/projects-app.ts";
import { insertIntent, setDone, setReady } from "../../release/store.ts";
import { insertRun } from "../../runs/store.ts";
import { findProject, listAll } from "../store.ts";
import { runFieldsOf, wholeProject } from "./change.ts";
import { stageUndo } from "./inverse.ts";
import {
  applyChanges,
  compareChanges,
  listAllWithChanges,
  reserveChanges,
} from "./publish-changes.ts";
import { recordOf, resolveConflict, stageDraft, stageField } from "./stage-change.ts";
import { listChanges, putChange } from "./store.ts";

const at = "2026-01-02T00:00:00.000Z";
const runId = "01J00000000000000000000000";

describe.each(dialects)("a run's changes of a project on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    app = await startProjectsApp(maker);
    await addRun(runId);
  });
  afterEach(() => app[Symbol.asyncDispose]());

  const addRun = (id: string) =>
    insertRun(app.db, {
      id,
      kind: "edit",
      mode: "build",
      instruction: "Shorten",
      page_url: null,
      restored_run_id: null,
      status: "publishing",
      model: "scripted",
      actor: "Editor",
      created_at: at,
    });

  const begin = () =>
    app.db.transaction().execute(async (transaction) => {
      await reserveChanges(transaction, runId);
      await insertIntent(transaction, {
        run_id: runId,
        state: "open",
        actor: "Editor",
        base_commit: "a",
        workspace_tree: "b",
        artifact: "c",
        change_json: null,
        commit_sha: null,
        release_number: null,
        created_at: at,
        finished_at: null,
      });
    });
  const end = () =>
    app.db.transaction().execute(async (transaction) => {
      await setReady(transaction, runId, { commit_sha: "d", release_number: 1, artifact: "c" });
      await setDone(transaction, runId, at);
      await applyChanges(transaction, runId);
    });

  async function staged() {
    const made = await app.create({ summary: "Long.", metrics: [] });
    const next = { field: "summary", value: "Short.", at } as const;
    await stageField(app.db, runId, recordOf(made.id), next);
    return made;
  }

  test("are written when the publish ends; until then the field waits and others don't", async () => {
    const { id } = await staged();
    await begin();
    const save = (fields: object, version: number) => app.ask("/save", { id, version, ...fields });
    const refused = await save({ summary: "Mine." }, 1);
    expect([refused.status, refused.error.code]).toEqual([409, "locked"]);
    expect((await save({ role: "Design" }, 1)).status).toBe(200);
    expect((await app.ask("/delete", { id })).status).toBe(409);
    await end();
    expect(await app.get(id)).toMatchObject({ summary: "Short.", role: "Design", version: 3 });
    expect((await save({ summary: "Mine." }, 3)).status).toBe(200);
  });

  test("never remove a draft that its owner has written a brief for", async () => {
    const { id } = await app.create({ status: "draft" });
    const draft = await findProject(app.db, { id });
    if (draft === null) throw new Error("The draft is gone.");
    const choice = { record: recordOf(id), field: wholeProject } as const;
    const removal = { ...choice, projectId: id, changedAt: at };
    const before = runFieldsOf(draft);
    await putChange(app.db, runId, { ...removal, before, after: null });
    await app.ask("/save", { id, version: 1, brief: "For the agent." });
    await expect(begin()).rejects.toMatchObject({ code: "conflict" });
    await expect(resolveConflict(app.db, runId, { ...choice, keep: "run" })).rejects.toMatchObject({
      code: "invalid_state",
    });
    await resolveConflict(app.db, runId, { ...choice, keep: "record" });
    await begin();
    await end();
    expect(await app.get(id)).toMatchObject({ brief: "For the agent.", status: "draft" });
  });

  test("create a project as its run has it, published or a draft, and take back just that", async () => {
    for (const isPublished of [true, false]) {
      const name = isPublished ? "Night ferry" : "Day ferry";
      const input = { fields: { name }, takenSlugs: new Set<string>(), isPublished, at };
      await stageDraft(app.db, runId, input);
    }
    // Somebody takes an address before the publish.
    await app.create({ name: "Night ferry" });
    const changes = await listChanges(app.db, runId);
    const will = (await listAllWithChanges(app.db, changes)).map(({ slug, status }) => [
      slug,
      status,
    ]);
    await begin();
    await end();
    const stored = await listAll(app.db);
    expect(stored.map(({ slug, status }) => [slug, status])).toEqual(will);
    const statuses = Object.fromEntries(stored.map(({ slug, status }) => [slug, status]));
    expect(statuses).toMatchObject({ "night-ferry-2": "published", "day-ferry": "draft" });

    const undoId = "01J00000000000000000000001";
    await addRun(undoId);
    const back = await stageUndo(app.db, { runId: undoId, undone: runId, at });
    expect(back.map(({ after }) => after)).toEqual([null, null]);
    for (const { id } of stored.filter(({ slug }) => slug !== "night-ferry")) {
      const archived = { id, version: 1, status: "archived" };
      expect((await app.ask("/save", archived)).status).toBe(200);
    }
    const conflicts = (await compareChanges(app.db, back)).map(({ slug, isConflict }) => [
      slug,
      isConflict,
    ]);
    expect(conflicts.toSorted()).toEqual([
      ["day-ferry", true],
      ["night-ferry-2", true],
    ]);
  });

  test("abuse 63: of a publish and saves at once, each field has what one of them says", async () => {
    const { id } = await staged();
    const saves = ["a", "b", "c", "d"].map((summary) =>
      app.ask("/save", { id, version: 1, summary }),
    );
    const [beginning, ...answers] = await Promise.allSettled([begin(), ...saves]);
    const saved = answers.some(
      (answer) => answer.status === "fulfilled" && answer.value.status === 200,
    );
    // Who comes first wins, and the other one is told.
    expect(beginning.status === "rejected").toBe(saved);
    const { summary } = await app.get(id);
    expect(["a", "b", "c", "d"].includes(summary)).toBe(saved);
  });
});
