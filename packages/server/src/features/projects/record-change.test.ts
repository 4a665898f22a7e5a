import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { listEntriesAfterSeeding } from "../changelog/seed.ts";
import { listEntries } from "../changelog/store.ts";
import { changelogDefinition } from "../settings/site-settings.ts";
import { putSetting } from "../settings/store.ts";
import { type ChangedProject, recordChanges } from "./record-change.ts";
import { findProject } from "./store.ts";

const minute = 60_000;
const at = "2026-01-15T12:00:00.000Z";

describe.each(dialects)("what the changelog tells of projects on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    app = await startProjectsApp(maker);
  });
  afterEach(() => app[Symbol.asyncDispose]());

  const publish = (fields = {}) =>
    app.create({ name: "Tidewater", status: "published", summary: "A map.", ...fields });
  const save = async (id: number, fields: object) => {
    const { version } = await app.get(id);
    expect((await app.ask("/save", { id, version, ...fields })).status).toBe(200);
  };
  /** What visitors see, the newest first. */
  const shown = async () =>
    (await listEntriesAfterSeeding(app.db, { limit: 100, seed: null })).map(
      ({ kind, title, detail, actor }) => `${kind}: ${title} by ${actor}. ${detail}`.trim(),
    );
  const published = "content: Published “Tidewater” by Mara.";

  test("publishing, changing and unpublishing are an entry each, with kind and actor", async () => {
    const { id } = await publish();
    app.clock.advance(61 * minute);
    await save(id, { summary: "A chart.", role: "Design" });
    app.clock.advance(61 * minute);
    await save(id, { status: "draft" });
    expect(await shown()).toEqual([
      "content: Unpublished “Tidewater” by Mara.",
      "content: Updated “Tidewater” by Mara. Changed: summary and role.",
      published,
    ]);
    app.clock.advance(61 * minute);
    await save(id, { status: "published" });
    app.clock.advance(61 * minute);
    const { version } = await app.get(id);
    expect((await app.ask("/delete", { id, version })).status).toBe(200);
    expect((await shown()).slice(0, 2)).toEqual([
      "content: Unpublished “Tidewater” by Mara.",
      "content: Published “Tidewater” by Mara.",
    ]);
  });

  test("saves of one project within an hour are one entry; after it there is another", async () => {
    const { id } = await publish();
    app.clock.advance(59 * minute);
    await save(id, { role: "Design" });
    expect(await shown()).toEqual([published]);
    app.clock.advance(2 * minute);
    await save(id, { role: "Code" });
    app.clock.advance(30 * minute);
    await save(id, { metrics: [{ value: "3", label: "maps" }] });
    await save(id, { role: "Both" });
    const other = await publish({ name: "Quay" });
    await save(other.id, { name: "The quay" });
    expect(await shown()).toEqual([
      "content: Published “The quay” by Mara.",
      "content: Updated “Tidewater” by Mara. Changed: role and metrics.",
      published,
    ]);
  });

  test("saves at once, each of the version it finds, are one entry", async () => {
    const { id } = await publish();
    app.clock.advance(61 * minute);
    const insist = async (fields: object): Promise<void> => {
      const { version } = await app.get(id);
      const { status } = await app.ask("/save", { id, version, ...fields });
      if (status === 409) return insist(fields);
      expect(status).toBe(200);
    };
    const changes = [{ summary: "A chart." }, { role: "Design" }, { period: "2026" }];
    await Promise.all(changes.map(insist));
    const [entry, ...others] = await shown();
    expect(others).toEqual([published]);
    for (const field of ["summary", "role", "period"]) expect(entry).toContain(field);
  });

  test("what is taken back within the hour has not happened", async () => {
    const { id } = await publish();
    await save(id, { status: "archived" });
    expect(await shown()).toEqual([]);
  });

  test("drafts, private notes and what is only for some people are never told of", async () => {
    const { id } = await app.create({ name: "Secret plan", summary: "Not yet." });
    await save(id, { summary: "Still not.", brief: "For the agent." });
    const invited = await publish({ name: "Members only", audience: "members" });
    await save(invited.id, { summary: "For members." });
    const open = await publish();
    app.clock.advance(61 * minute);
    await save(open.id, { brief: "For the agent." });
    expect(await shown()).toEqual([published]);
  });

  test("a project that becomes one for some people takes its entries along", async () => {
    const { id } = await publish();
    app.clock.advance(61 * minute);
    await save(id, { summary: "A chart." });
    await save(id, { audience: "members", summary: "For members." });
    expect(await shown()).toEqual([]);
    expect((await listEntries(app.db, { limit: 9, offset: 0 })).items).toMatchObject([
      { hidden: true },
      { hidden: true },
    ]);
    const { version } = await app.get(id);
    await app.ask("/delete", { id, version });
    expect(await shown()).toEqual([]);
  });

  test("the owner switches each kind off", async () => {
    const value = JSON.stringify({ published: false, changed: true, unpublished: false });
    await putSetting(app.db, changelogDefinition.name, { value, sealed: null }, at);
    const { id } = await publish();
    await save(id, { role: "Design" });
    await save(id, { status: "draft" });
    expect(await shown()).toEqual(["content: Updated “Tidewater” by Mara. Changed: role."]);
  });

  test("many at once are one entry, which names none", async () => {
    const changes: ChangedProject[] = [];
    for (let i = 0; i < 6; i += 1) {
      const { id } = await app.create({ name: `Study ${i}` });
      const before = await findProject(app.db, { id });
      if (before === null) throw new Error("The draft is gone.");
      changes.push({ before, after: { ...before, status: "published" as const } });
    }
    const by = { at, actor: "Mara" };
    await app.db.transaction().execute((trx) => recordChanges(trx, changes, by));
    expect(await shown()).toEqual(["content: Published 6 projects by Mara."]);
  });

  test("a change that is refused leaves no entry", async () => {
    app.onChange = () => Promise.reject(new Error("no"));
    await expect(publish()).rejects.toThrow("/create");
    expect(await shown()).toEqual([]);
  });
});
