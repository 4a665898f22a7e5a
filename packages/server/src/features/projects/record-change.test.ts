import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { isoTime } from "../../kit/time.ts";
import { listEntriesAfterSeeding } from "../changelog/seed.ts";
import { setHidden } from "../changelog/project-entry-store.ts";
import { listEntries, updateEntry } from "../changelog/store.ts";
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

  test("publishing, changing, and unpublishing add an entry each, with kind and actor", async () => {
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

  test("saves of a project within an hour share an entry; a later one gets another", async () => {
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

  test("concurrent saves share one entry", async () => {
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

  test("a change that is reverted within the hour leaves no entry", async () => {
    const { id } = await publish();
    await save(id, { status: "archived" });
    expect(await shown()).toEqual([]);
  });

  test("drafts, private notes, and restricted projects are never mentioned", async () => {
    const { id } = await app.create({ name: "Secret plan", summary: "Not yet." });
    await save(id, { summary: "Still not.", brief: "For the agent." });
    const invited = await publish({ name: "Members only", audience: "members" });
    await save(invited.id, { summary: "For members." });
    const open = await publish();
    app.clock.advance(61 * minute);
    await save(open.id, { brief: "For the agent." });
    expect(await shown()).toEqual([published]);
  });

  test("a project that becomes restricted hides its entries", async () => {
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

  test("an entry that the owner has hidden stays hidden, and the next change gets its own", async () => {
    const { id } = await publish();
    const [first] = (await listEntries(app.db, { limit: 1, offset: 0 })).items;
    if (first === undefined) throw new Error("There is no entry.");
    await setHidden(app.db, first.id, { hidden: true, at });
    app.clock.advance(minute);
    await save(id, { role: "Design" });
    await save(id, { period: "2026" });
    expect(await shown()).toEqual([
      "content: Updated “Tidewater” by Mara. Changed: role and period.",
    ]);
    expect((await listEntries(app.db, { limit: 9, offset: 0 })).items).toMatchObject([
      { hidden: false },
      { hidden: true, title: "Published “Tidewater”", detail: "" },
    ]);
  });

  test("a hidden entry about publishing that is reverted within the hour is removed", async () => {
    const { id } = await publish();
    const [first] = (await listEntries(app.db, { limit: 1, offset: 0 })).items;
    if (first === undefined) throw new Error("There is no entry.");
    await setHidden(app.db, first.id, { hidden: true, at });
    await save(id, { status: "draft" });
    expect((await listEntries(app.db, { limit: 9, offset: 0 })).items).toEqual([]);
  });

  test("a name that is too long for a title is truncated inside its quotation marks", async () => {
    const { id } = await publish();
    const project = await findProject(app.db, { id });
    if (project === null) throw new Error("The project is gone.");
    const long = { ...project, name: "W".repeat(200) };
    const hidden = { ...long, status: "draft" as const };
    const by = (hour: number) => ({
      at: isoTime(Date.parse(at) + hour * 60 * minute),
      actor: "Mara",
    });
    const change = (changed: ChangedProject, hour: number) =>
      app.db.transaction().execute((trx) => recordChanges(trx, [changed], by(hour)));
    await change({ before: hidden, after: long }, 2);
    await change({ before: long, after: { ...long, role: "Design" } }, 4);
    await change({ before: long, after: { ...long, name: "V".repeat(200) } }, 4);
    await change({ before: long, after: hidden }, 6);
    const { items } = await listEntries(app.db, { limit: 3, offset: 0 });
    expect(items.map(({ title }) => title)).toEqual([
      `Unpublished “${"W".repeat(125)}…”`,
      `Updated “${"V".repeat(129)}…”`,
      `Published “${"W".repeat(127)}…”`,
    ]);
  });

  test("the owner can turn off each kind", async () => {
    const value = JSON.stringify({ published: false, changed: true, unpublished: false });
    await putSetting(app.db, changelogDefinition.name, { value, sealed: null }, at);
    const { id } = await publish();
    await save(id, { role: "Design" });
    await save(id, { status: "draft" });
    expect(await shown()).toEqual(["content: Updated “Tidewater” by Mara. Changed: role."]);
  });

  describe("many at once", () => {
    const count = 6;
    const by = { at, actor: "Mara" };

    /** Has as many drafts published at once, as an import does, and gives their ids. */
    async function publishMany(): Promise<number[]> {
      const changes: ChangedProject[] = [];
      for (let i = 0; i < count; i += 1) {
        const { id } = await app.create({ name: `Study ${i}`, status: "published" });
        const after = await findProject(app.db, { id });
        if (after === null) throw new Error("The project is gone.");
        changes.push({ before: null, after });
      }
      // Only what is written of all of them together is looked at.
      await app.db
        .withTables<{ changelog_entry: object }>()
        .deleteFrom("changelog_entry")
        .execute();
      await app.db.transaction().execute((trx) => recordChanges(trx, changes, by));
      app.clock.advance(61 * minute);
      return changes.map(({ after }) => after?.id ?? 0);
    }
    const entries = async () => (await listEntries(app.db, { limit: 100, offset: 0 })).items;
    const whole = "content: Published 6 projects by Mara.";

    test("share one entry, which names no project and gets no later changes", async () => {
      const [first = 0] = await publishMany();
      expect(await shown()).toEqual([whole]);
      await save(first, { role: "Design" });
      expect(await shown()).toEqual(["content: Updated “Study 0” by Mara. Changed: role.", whole]);
    });

    test("no longer count restricted projects", async () => {
      const ids = await publishMany();
      for (const [index, id] of ids.entries()) {
        const left = count - index - 1;
        await save(id, { audience: "members" });
        const what = left === 1 ? "1 project" : `${left} projects`;
        expect(await shown()).toEqual(left === 0 ? [] : [`content: Published ${what} by Mara.`]);
        // Deleting it, or opening it and closing it again, makes nothing of it public.
        if (index > 1) continue;
        if (index === 1) await save(id, { audience: "everyone" });
        await save(id, { audience: "invited" });
        const { version } = await app.get(id);
        await app.ask("/delete", { id, version });
        expect((await shown()).at(-1)).toBe(`content: Published ${what} by Mara.`);
      }
      expect(await entries()).toContainEqual(expect.objectContaining({ hidden: true }));
    });

    test("are hidden if the owner's text may name a project that becomes restricted", async () => {
      const [first = 0] = await publishMany();
      const [entry] = await entries();
      const reworded = { title: "Six studies, Study 0 among them" };
      await updateEntry(app.db, entry?.id ?? 0, reworded);
      await save(first, { audience: "members" });
      expect(await shown()).toEqual([]);
      expect(await entries()).toMatchObject([{ ...reworded, hidden: true }]);
    });

    test("are hidden once none of them is public", async () => {
      const [last = 0, deleted = 0, ...others] = await publishMany();
      for (const id of others) await save(id, { status: "draft" });
      const { version } = await app.get(deleted);
      await app.ask("/delete", { id: deleted, version });
      expect(await shown()).toContain(whole);
      await save(last, { status: "archived" });
      expect(await shown()).not.toContain(whole);
      expect((await shown()).every((text) => text.startsWith("content: Unpublished"))).toBe(true);
    });

    test("are shown if they say that projects were unpublished, although none is public", async () => {
      const ids = await publishMany();
      const changes = await Promise.all(
        ids.map(async (id): Promise<ChangedProject> => {
          const before = await findProject(app.db, { id });
          return { before, after: before && { ...before, status: "draft" } };
        }),
      );
      const later = { at: isoTime(app.clock.now()), actor: "Mara" };
      await app.db.transaction().execute((trx) => recordChanges(trx, changes, later));
      expect(await shown()).toEqual(["content: Unpublished 6 projects by Mara."]);
    });

    test("count only the kinds of changes that the owner shows to visitors", async () => {
      const value = JSON.stringify({ published: false, changed: true, unpublished: true });
      await putSetting(app.db, changelogDefinition.name, { value, sealed: null }, at);
      await publishMany();
      expect(await entries()).toEqual([]);
    });
  });

  test("a change that is refused leaves no entry", async () => {
    app.onChange = () => Promise.reject(new Error("no"));
    await expect(publish()).rejects.toThrow("/create");
    expect(await shown()).toEqual([]);
  });
});
