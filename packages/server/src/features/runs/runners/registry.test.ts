import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { newUlid } from "../../../kit/ulid.ts";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { createLog } from "../../../platform/log.ts";
import { acquireLock } from "../../../platform/lock.ts";
import { openRegistry, type Registry, type RegistryDependencies } from "./registry.ts";
import {
  countAliveRunners,
  listRunOwners,
  registerRunner,
  listRunners,
  setRunOwner,
} from "./store.ts";

const log = createLog({ level: "silent", name: "test" });

describe.each(dialects)("the runners on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let dir: string;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    await migrate({ database, now: Date.now() });
    ({ db } = database);
  });
  beforeEach(async () => {
    await db.withTables<{ runner: object }>().deleteFrom("runner").execute();
    const folder = await tempFolder();
    onTestFinished(() => folder.remove());
    dir = join(folder.path, "runners");
  });
  afterAll(() => maker?.close());

  async function open(given: Partial<RegistryDependencies> = {}): Promise<Registry> {
    const registry = await openRegistry({ db, log, dir, port: 3011, heartbeatMs: 10, ...given });
    onTestFinished(() => registry.close());
    return registry;
  }

  const row = (id: string) =>
    db
      .withTables<{ runner: { id: string; seen_at: string; gone_at: string | null } }>()
      .updateTable("runner")
      .where("id", "=", id);

  /** A runner of another machine that said some time ago, in ms, that it lives. */
  async function elsewhere(agoMs: number): Promise<string> {
    const id = newUlid(Date.now());
    await registerRunner(db, { id, host: "elsewhere", pid: 1, port: 1 });
    await row(id)
      .set({ seen_at: databaseTime(db, -agoMs) })
      .execute();
    return id;
  }

  /** Waits until this runner has looked at the others so often. */
  async function heartbeats({ id }: Registry, count: number): Promise<void> {
    const seenAt = async () => (await listRunners(db, id))[0]?.seenAt;
    for (let seen = 0; seen < count; seen += 1) {
      const last = await seenAt();
      await eventually(async () => expect(await seenAt()).not.toBe(last));
    }
  }

  it("are alive while they hold their lock, and leave nothing behind", async () => {
    const [one, two] = [await open(), await open()];
    expect(await Promise.all([one.isGone(two.id), two.isGone(one.id)])).toEqual([false, false]);
    expect(await one.isGone(one.id)).toBe(false);
    expect(await one.isGone(newUlid(0))).toBe(true);
    expect(await countAliveRunners(db)).toBe(2);
    expect((await readdir(dir)).toSorted()).toEqual(
      [`${one.id}.lock`, `${two.id}.lock`].toSorted(),
    );
    await two.close();
    expect(await one.isGone(two.id)).toBe(true);
    expect(await one.listGone()).toEqual([]);
    expect(await countAliveRunners(db)).toBe(1);
    expect(await readdir(dir)).toEqual([`${one.id}.lock`]);
  });

  it("are gone at once where they run when their lock is free, and are forgotten by several", async () => {
    const [one, two] = [await open(), await open()];
    const id = newUlid(0);
    await registerRunner(db, { id, host: (await listRunners(db))[0]?.host ?? "", pid: 1, port: 1 });
    // Without a file nothing is said about a runner that was just heard of.
    expect(await one.isGone(id)).toBe(false);
    await writeFile(join(dir, `${id}.lock`), "");
    expect(await one.isGone(id)).toBe(true);
    expect(await Promise.all([one.listGone(), two.listGone()])).toEqual([[id], [id]]);
    expect(await countAliveRunners(db)).toBe(2);
    await Promise.all([one.deleteGone([id]), two.deleteGone([id]), one.deleteGone([])]);
    expect(await listRunners(db, id)).toEqual([]);
    expect(await readdir(dir)).toHaveLength(2);
    expect(await one.isGone(id)).toBe(true);
  });

  it("are gone elsewhere once they are silent for a minute and for some looks of another", async () => {
    const [old, recent] = [await elsewhere(61_000), await elsewhere(30_000)];
    const one = await open();
    expect(await one.listGone()).toEqual([]);
    one.start();
    await eventually(async () => expect(await one.isGone(old)).toBe(true));
    expect(await one.listGone()).toContain(old);
    await row(recent)
      .set({ seen_at: databaseTime(db) })
      .execute();
    expect(await one.isGone(recent)).toBe(false);
  });

  it("abuse 89: are not gone by a jump of the clock while they speak, and are by silence", async () => {
    // It looks less often than the other speaks, so that a busy database makes nobody look silent.
    const one = await open({ host: "one", heartbeatMs: 40 });
    const two = await open({ host: "two" });
    one.start();
    two.start();
    for (const jump of [-3_600_000, 3_600_000]) {
      await row(two.id)
        .set({ seen_at: databaseTime(db, jump) })
        .execute();
      expect(await one.isGone(two.id)).toBe(false);
      await heartbeats(one, 6);
      expect(await one.isGone(two.id)).toBe(false);
    }
    // Whose last word lies in the future is not believed for ever.
    const ahead = await elsewhere(-3_600_000);
    await eventually(async () => expect(await one.listGone()).toEqual([ahead]));
  });

  it("take themselves back when they were taken for dead and live", async () => {
    const one = await open();
    const two = await open({ host: "suspended" });
    await row(two.id)
      .set({ gone_at: databaseTime(db) })
      .execute();
    expect(await one.listGone()).toEqual([two.id]);
    two.start();
    await eventually(async () => expect(await one.isGone(two.id)).toBe(false));
    // What was to be forgotten has come back.
    await one.deleteGone([two.id]);
    expect(await listRunners(db, two.id)).toHaveLength(1);
    await db.withTables<{ runner: { id: string } }>().deleteFrom("runner").execute();
    await eventually(async () => expect(await one.isGone(two.id)).toBe(false));
    expect(await readdir(dir)).toHaveLength(2);
  });

  it("go on when the database was away", async () => {
    const heard: string[] = [];
    const noting = { ...log, error: (_: unknown, text: string) => heard.push(text) };
    const one = await open({ log: noting as unknown as typeof log });
    const other = await elsewhere(61_000);
    const rename = (from: string, to: string) => db.schema.alterTable(from).renameTo(to).execute();
    await rename("runner", "away");
    one.start();
    await eventually(() => expect(heard).toHaveLength(1));
    await rename("away", "runner");
    await eventually(async () => expect(await one.listGone()).toEqual([other]));
    expect(heard).toEqual(["couldn't store the runner's heartbeat"]);
  });

  it("remove the lock files of processes that were killed before they were written down", async () => {
    await open().then((registry) => registry.close());
    const [stray, pending] = [newUlid(0), newUlid(1)];
    await writeFile(join(dir, `${stray}.lock`), "");
    const lock = acquireLock(join(dir, `${pending}.lock`));
    await writeFile(join(dir, "notes.txt"), "somebody's own");
    const registries = await Promise.all([open(), open(), open()]);
    const own = registries.map(({ id }) => `${id}.lock`);
    expect((await readdir(dir)).toSorted()).toEqual(
      [...own, `${pending}.lock`, "notes.txt"].toSorted(),
    );
    lock?.release();
    await rm(join(dir, "notes.txt"));
  });

  it("own runs, one runner each", async () => {
    const ids = [newUlid(1), newUlid(2), newUlid(3)];
    for (const id of ids) {
      await db
        .withTables<{ run: Record<string, unknown> }>()
        .insertInto("run")
        .values({
          id,
          kind: "edit",
          mode: "build",
          instruction: "x",
          status: "queued",
          model: "literal",
          actor: "Editor",
          created_at: "2026-01-01T00:00:00.000Z",
        })
        .execute();
    }
    const [first = "", second = "", third = ""] = ids;
    await setRunOwner(db, first, "one");
    await setRunOwner(db, second, "one");
    await setRunOwner(db, second, "two");
    expect(await listRunOwners(db, [first, second, third])).toEqual(
      new Map([
        [first, "one"],
        [second, "two"],
      ]),
    );
    expect(await listRunOwners(db, [])).toEqual(new Map());
  });
});
