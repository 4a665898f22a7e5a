import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { deleteMedia } from "../media/delete-store.ts";
import { findMediaBySrc } from "../media/store.ts";
import { changeProject } from "./write.ts";
import type { ProjectDetail, StaleProject } from "./schema.ts";

describe.each(dialects)("projects changed at once on %s", (dialect) => {
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

  function atOnce<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  }

  test("abuse 63: of saves at once one wins, the others get 409 with both versions", async () => {
    const made = await app.create();
    app.changes.length = 0;
    const responses = await atOnce(8, (index) =>
      app.ask<ProjectDetail>("/save", { id: made.id, version: 1, summary: `by ${index}` }),
    );
    const won = responses.filter((response) => response.status === 200);
    const lost = responses.filter((response) => response.status === 409);
    expect([won.length, lost.length]).toEqual([1, 7]);
    const present = await app.get(made.id);
    expect(present).toEqual(won[0]?.data);
    for (const { error } of lost) {
      expect(error.code).toBe("stale_version");
      const details = error.details as StaleProject;
      expect(details).toEqual({ version: 2, yours: 1, current: present });
    }
    expect(app.changes).toHaveLength(1);
  });

  test("abuse 63: who saves again on what the answer carries loses nothing", async () => {
    const { id } = await app.create({ body: "" });
    const append = async (word: string, version: number, body: string): Promise<void> => {
      const text = `${body}${word}\n`;
      const response = await app.ask("/save", { id, version, body: text });
      if (response.status === 200) return;
      const { current } = response.error.details as StaleProject;
      if (!current) throw new Error("the present record is missing");
      await append(word, current.version, current.body === "" ? "" : `${current.body}\n`);
    };
    await atOnce(6, (index) => append(`word${index}`, 1, ""));
    const { body, version } = await app.get(id);
    expect(version).toBe(7);
    expect(body.split("\n").toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((index) => `word${index}`));
  });

  test("a save and a deletion at once end in one of the two", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await app.create();
      const [saved, deleted] = await Promise.all([
        app.ask("/save", { id, version: 1, name: "Saved" }),
        app.ask("/delete", { id, version: 1 }),
      ]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([saved.status, deleted.status]);
      expect((await app.ask(`/get?id=${id}`)).status).toBe(saved.status === 200 ? 200 : 404);
    }
  });

  test("projects of one name made at once get slugs of their own", async () => {
    const made = await atOnce(8, () => app.create({ name: "Same" }));
    const slugs = made.map((project) => project.slug).toSorted();
    expect(slugs).toEqual(["same", ...[2, 3, 4, 5, 6, 7, 8].map((number) => `same-${number}`)]);
    const given = await atOnce(4, () => app.ask("/create", { name: "New", slug: "one" }));
    expect(given.map((response) => response.status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test("of two that move to one slug at once one gets it, the other is told", async () => {
    const ids = [(await app.create()).id, (await app.create()).id, (await app.create()).id];
    const responses = await Promise.all(
      ids.map((id) => app.ask("/save", { id, version: 1, slug: "wanted" })),
    );
    expect(responses.map((response) => response.status).toSorted()).toEqual([200, 409, 409]);
    const lost = responses.filter((response) => response.status === 409);
    expect(lost.map(({ error }) => [error.code, Object.keys(error.fields ?? {})])).toEqual([
      ["already_exists", ["slug"]],
      ["already_exists", ["slug"]],
    ]);
  });

  test("orders given at once end in a whole one, every project in a place of its own", async () => {
    const ids: number[] = [];
    for (const name of ["a", "b", "c", "d", "e", "f"]) ids.push((await app.create({ name })).id);
    for (let round = 0; round < 5; round += 1) {
      const responses = await atOnce(8, (index) => {
        const turned = [...ids.slice(index % 6), ...ids.slice(0, index % 6)];
        return app.ask("/reorder", { ids: index % 2 ? turned.slice(0, 4) : turned });
      });
      expect(responses.map((response) => response.status)).toEqual(Array(8).fill(200));
    }
    const rows = await app.db
      .withTables<{ project: { position: number } }>()
      .selectFrom("project")
      .select("position")
      .orderBy("position")
      .execute();
    expect(rows.map((row) => row.position)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("an image that is deleted while it is put into a gallery is either kept or refused", async () => {
    for (let round = 0; round < 6; round += 1) {
      const src = await app.addImage(`picture-${round}`);
      const id = (await findMediaBySrc(app.db, [src])).get(src)?.id ?? 0;
      const { id: projectId } = await app.create();
      const [saved, deleted] = await Promise.all([
        app.ask("/save", { id: projectId, version: 1, gallery: [{ src }] }),
        deleteMedia(app.db, id).catch(() => false),
      ]);
      expect([saved.status, deleted]).toEqual(deleted ? [422, true] : [200, false]);
    }
  });

  test("an image that is deleted between the look at it and the save is refused", async () => {
    const src = await app.addImage("picture");
    const id = (await findMediaBySrc(app.db, [src])).get(src)?.id ?? 0;
    const { id: projectId } = await app.create();
    let deleted = false;
    const slow = app.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const isLookup = !deleted && result.rows.some((row) => row["src"] === src);
        if (isLookup) deleted = await deleteMedia(app.db, id);
        return result;
      },
    });
    const change = { id: projectId, version: 1, gallery: [{ src, caption: "" }] };
    const context = { at: new Date().toISOString(), missingFiles: new Set<string>() };
    await expect(changeProject(slow, change, context)).rejects.toMatchObject({
      code: "validation_failed",
      fields: { "gallery.0.src": "must name a stored file" },
    });
    expect(deleted).toBe(true);
  });
});
