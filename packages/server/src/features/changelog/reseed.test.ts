import { rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import type { Database } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { createLog } from "../../platform/log.ts";
import { addEntry } from "./entry.ts";
import { makeReseeder } from "./reseed.ts";
import { listEntriesAfterSeeding, type Seed, seedChangelog } from "./seed.ts";
import { listEntries } from "./store.ts";

const ownerName = "Ada Owner";
type Element = [at: string, kind: string, title: string, detail: string, actor?: string];
const first: Element = ["2026-01-01", "content", "First", ""];
const second: Element = ["2026-01-02", "design", "Second", "", "Editor"];

describe.each(dialects)("re-seeding on %s", (dialect) => {
  let maker: DatabaseMaker;
  let database: Database;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let file: string;
  let logged: string;
  let reported: string[];
  const clock = fakeClock();

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    ({ database } = await maker.make());
    await migrate({ database, now: clock.now() });
    folder = await tempFolder();
    file = join(folder.path, "changelog.json");
    logged = "";
    reported = [];
    return () => folder.remove();
  });

  function make(owner: string | { name: string } = ownerName) {
    const destination = new PassThrough().on("data", (chunk) => (logged += String(chunk)));
    const log = createLog({ level: "info", name: "test", destination });
    const { db } = database;
    return makeReseeder({
      db,
      file,
      get ownerName() {
        return typeof owner === "string" ? owner : owner.name;
      },
      clock,
      log,
      onChange: async (transaction, reason) => {
        expect(transaction.isTransaction).toBe(true);
        reported.push(reason);
      },
    });
  }
  const write = (list: unknown) => writeFile(file, JSON.stringify(list));
  const all = async () => (await listEntries(database.db, { limit: 100, offset: 0 })).items;
  const titles = async () => (await all()).map(({ title }) => title);

  test("a file that changed is taken, once, by whoever looks", async () => {
    await write([first]);
    const reseeder = make();
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect(await make().reseedIfChanged()).toEqual({ changed: false });
    expect(reported).toHaveLength(1);
    await write([first, second]);
    expect(await Promise.all([reseeder.reseedIfChanged(), reseeder.reseedIfChanged()])).toEqual([
      { changed: true },
      { changed: false },
    ]);
    expect(await titles()).toEqual(["Second", "First"]);
    await write([second]);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
    expect(await titles()).toEqual(["Second"]);
    expect(await reseeder.state()).toEqual({ error: null });
    expect(reported).toHaveLength(3);
  });

  test("other bytes with the same entries change nothing that the site shows", async () => {
    await write([first]);
    const reseeder = make();
    await reseeder.reseedIfChanged();
    await writeFile(file, JSON.stringify([first], null, 2));
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect(reported).toHaveLength(1);
  });

  test("a write in the same tick and of the same length is seen", async () => {
    const at = new Date("2026-01-01T00:00:00Z");
    const reseeder = make();
    for (const title of ["Aa", "Bb", "Cc"]) {
      await write([["2026-01-01", "fix", title, ""]]);
      await utimes(file, at, at);
      expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
      expect(await titles()).toEqual([title]);
    }
  });

  test("a malformed file changes nothing, is remembered and logged once", async () => {
    await write([first]);
    const reseeder = make();
    await reseeder.reseedIfChanged();
    const before = await all();
    await write([first, ["2026-01-02", "two words", "Second", ""]]);
    for (const watcher of [reseeder, reseeder, make()]) {
      expect(await watcher.reseedIfChanged()).toEqual({ changed: false });
    }
    expect(await all()).toEqual(before);
    const error = "database/changelog.json, element 2: kind must be one word.";
    expect(await make().state()).toEqual({ error });
    expect(logged.match(/seed file is invalid/g)).toHaveLength(1);
    await writeFile(file, "[");
    await reseeder.reseedIfChanged();
    expect((await reseeder.state()).error).toContain("is not JSON: ");
    await write([first, second]);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
    expect(await reseeder.state()).toEqual({ error: null });
  });

  test("without a file, or with a link in its place, the entries stay", async () => {
    const reseeder = make();
    await write([first]);
    await reseeder.reseedIfChanged();
    await rename(file, `${file}.away`);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect((await reseeder.state()).error).toContain("There is no");
    await symlink(`${file}.away`, file);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect((await reseeder.state()).error).toContain("can't be read");
    expect(await titles()).toEqual(["First"]);
    await rm(file);
    await rename(`${file}.away`, file);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect(await reseeder.state()).toEqual({ error: null });
  });

  test("another owner's name is another seed: it signs what names nobody", async () => {
    await write([first, second]);
    await make().reseedIfChanged();
    expect(await make("Grace Owner").reseedIfChanged()).toEqual({ changed: true });
    expect((await all()).map(({ actor }) => actor)).toEqual(["Editor", "Grace Owner"]);
  });

  test("a name that is set while the runner lives signs anew, though the file is as it was", async () => {
    await write([first, second]);
    const owner = { name: "Ada Owner" };
    const reseeder = make(owner);
    await reseeder.reseedIfChanged();
    await reseeder.reseedIfChanged();
    owner.name = "Ada Newname";
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: true });
    expect((await all()).map(({ actor }) => actor)).toEqual(["Editor", "Ada Newname"]);
    expect(await reseeder.reseedIfChanged()).toEqual({ changed: false });
    expect(reported).toHaveLength(2);
  });

  test("entries as they will be are what seeding then makes of them", async () => {
    const { db } = database;
    const now = clock.now();
    const at = "2026-01-01T00:00:00.000Z";
    const same: Element = ["2026-01-01", "fix", "Of the same day", ""];
    const seeds = [[first, second], [second, same, first], [same, second, same], [], [first, same]];
    await addEntry(db, { kind: "fix", title: "App", detail: "", at, actor: "Editor", commit: "c" });
    for (const list of seeds) {
      const seed: Seed = { json: JSON.stringify(list), ownerName };
      const reply = (entries: { title: string; at: string; actor: string }[]) =>
        entries.map(({ title, at: when, actor }) => [title, when, actor]);
      for (const limit of [100, 2]) {
        const before = reply(await listEntriesAfterSeeding(db, { limit, seed }));
        expect(before.length).toBe(Math.min(limit, list.length + 1));
      }
      const foreseen = reply(await listEntriesAfterSeeding(db, { limit: 100, seed }));
      await seedChangelog(db, { ...seed, now });
      expect(reply(await all())).toEqual(foreseen);
      expect(reply(await listEntriesAfterSeeding(db, { limit: 100, seed }))).toEqual(foreseen);
    }
    const malformed = { json: '[["2026-01-01"]]', ownerName };
    await expect(listEntriesAfterSeeding(db, { limit: 9, seed: malformed })).rejects.toThrow(
      "element 1",
    );
  });
});
