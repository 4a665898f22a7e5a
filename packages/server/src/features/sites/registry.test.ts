import { stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { AppError } from "../../kit/errors.ts";
import { type Dialect, openDatabase } from "../../platform/db/connect.ts";
import { createLog } from "../../platform/log.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { inSchema, siteSchema } from "../../platform/db/schema-address.ts";
import { followChanges } from "./changes.ts";
import { type JobRecords, makeJobRecords } from "./job-records.ts";
import { openSiteRegistry, registryAddress, type SiteRegistry } from "./registry.ts";
import { makeSharedJobs } from "./shared-jobs.ts";
import type { SiteChange } from "./store.ts";

const opened: SiteRegistry[] = [];

/** New registries in databases of one kind, for the tests of a block. */
function useRegistries(dialect: Dialect) {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await startDialect(dialect, { empty: true });
  }, 120_000);
  afterAll(async () => {
    for (const registry of opened.splice(0)) await registry.close();
    await maker.close();
  });

  /** A new registry; `again` opens it as another process would. */
  return async () => {
    const { address } = await maker.make();
    const clock = fakeClock(Date.parse("2026-11-29T12:00:00Z"));
    const paths = { siteRegistry: `${address.file}.sites` };
    const deps = { paths, databaseUrl: address.url, clock, ownHost: "home.example" };
    const again = async () => {
      const registry = await openSiteRegistry(deps);
      opened.push(registry);
      return registry;
    };
    return { registry: await again(), again, deps };
  };
}

/** The jobs as the process of sites gives them to a node's web. */
const recordsOn = (jobs: JobRecords, node: string) => ({
  ...jobs,
  begin: (job: { name: string; kind: "create" | "remove" }) => jobs.begin({ ...job, node }),
  interrupt: () => jobs.interrupt(node),
});

describe.each(dialects)("the registry of sites in %s", (dialect) => {
  let clock: FakeClock;
  const makeOne = useRegistries(dialect);
  const make = async () => {
    const made = await makeOne();
    ({ clock } = made.deps);
    return made;
  };

  const anna = { id: "anna", domain: "Anna.example.", baseUrl: "https://anna.example" };

  async function addSite(registry: SiteRegistry, id: string) {
    await registry.reserve({ id, domain: `${id}.example`, baseUrl: `https://${id}.example` });
    return registry.activate(id);
  }

  test("a site is there once it is activated, and found by each of its domains", async () => {
    const { registry } = await make();
    const reserved = await registry.reserve(anna);
    expect(reserved).toMatchObject({ status: "creating", domains: ["anna.example"] });
    expect(await registry.activate("anna")).toMatchObject({ status: "active" });
    clock.advance(1000);
    await registry.addDomain("anna", "www.anna.example");
    for (const domain of ["anna.example", "www.anna.example"]) {
      expect(await registry.findRoute(domain)).toMatchObject({ id: "anna", status: "active" });
    }
    expect(await registry.findRoute("ANNA.example")).toBeNull();
    await expect(registry.removeDomain("anna", "anna.example")).rejects.toMatchObject({
      code: "in_use",
      fields: { domain: "is the site's main domain" },
    });
    await expect(registry.removeDomain("anna", "other.example")).rejects.toMatchObject({
      code: "not_found",
      fields: { domain: "isn't a domain of this site" },
    });
    await registry.setBaseUrl("anna", "https://www.anna.example");
    expect(await registry.removeDomain("anna", "anna.example")).toMatchObject({
      domains: ["www.anna.example"],
      baseUrl: "https://www.anna.example",
    });
    expect(await registry.suspend("anna")).toMatchObject({ status: "suspended", wakeAt: null });
    expect(await registry.resume("anna")).toMatchObject({ status: "active" });
    expect(await registry.count()).toEqual({ creating: 0, active: 1, suspended: 0 });
    await registry.remove("anna");
    expect(await registry.list()).toEqual([]);
    expect(await registry.findRoute("www.anna.example")).toBeNull();
    await expect(registry.get("anna")).rejects.toMatchObject({ code: "not_found" });
  });

  test("abuse 215: of sites that claim one domain at once, one gets it", async () => {
    const { registry, again } = await make();
    const other = await again();
    const claims = ["a", "b", "c", "d"].map((id, at) =>
      (at % 2 === 0 ? registry : other).reserve({
        id,
        domain: "shop.example",
        baseUrl: "https://shop.example",
      }),
    );
    const results = await Promise.allSettled(claims);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    expect(refused.map(({ code }: { code: string }) => code)).toEqual(
      Array(3).fill("already_exists"),
    );
    // Those that failed have left nothing.
    expect(await registry.list()).toHaveLength(1);
    const owner = (await registry.findRoute("shop.example"))?.id ?? "";
    await addSite(registry, "late");
    await expect(registry.addDomain("late", "shop.example")).rejects.toThrow(`“${owner}”`);
    await expect(registry.addDomain("late", "home.example")).rejects.toThrow("own site");
    expect((await registry.get("late")).domains).toEqual(["late.example"]);
  });

  test("a page of sites is found by a part of their names or domains", async () => {
    const { registry } = await make();
    for (const id of ["anna", "bob", "carla", "per-cent"]) await addSite(registry, id);
    await registry.addDomain("bob", "annas-friend.example");
    await registry.suspend("carla");
    const find = async (query: object) => {
      const { items, total } = await registry.search({ q: "", page: 1, perPage: 2, ...query });
      return [total, ...items.map(({ id }) => id)];
    };
    expect(await find({})).toEqual([4, "anna", "bob"]);
    expect(await find({ page: 2 })).toEqual([4, "carla", "per-cent"]);
    expect(await find({ page: 3 })).toEqual([4]);
    expect(await find({ q: "ANNA" })).toEqual([2, "anna", "bob"]);
    expect(await find({ q: "bob.ex" })).toEqual([1, "bob"]);
    expect(await find({ status: "suspended" })).toEqual([1, "carla"]);
    // Wildcards of the database are characters here.
    for (const q of ["%", "_", "!", "a%", "'"]) expect(await find({ q })).toEqual([0]);
    const { items } = await registry.search({ q: "bob", page: 1, perPage: 9 });
    expect(items[0]).toMatchObject({ domainCount: 2, baseUrl: "https://bob.example" });
  });

  test("names that aren't names are refused, and one that was taken stays", async () => {
    const { registry } = await make();
    await addSite(registry, "anna");
    await expect(registry.reserve(anna)).rejects.toMatchObject({ code: "already_exists" });
    for (const id of ["", "..", "a/b", "A", "a--b", "-a", "a-", "1a", "a_b", "a".repeat(41)]) {
      await expect(registry.reserve({ ...anna, id })).rejects.toMatchObject({
        code: "validation_failed",
      });
    }
  });

  test("a site that wasn't finished can be reserved again with another domain", async () => {
    const { registry } = await make();
    await registry.reserve(anna);
    const url = "https://other.example";
    await registry.reserve({ id: "anna", domain: "other.example", baseUrl: url });
    expect(await registry.activate("anna")).toMatchObject({
      baseUrl: url,
      domains: ["other.example"],
    });
  });

  test("changes of other processes are announced in order, with all domains", async () => {
    const { registry, again, deps } = await make();
    await addSite(registry, "before");
    const seen: (SiteChange[] | null)[] = [];
    const followed = await followChanges({
      registry: await again(),
      url: registryAddress(deps).url,
      // Announcements alone would do in PostgreSQL.
      pollMs: dialect === "postgres" ? 60_000 : 20,
      onChanges: (changes) => void seen.push(changes),
      log: createLog({ level: "silent", name: "test" }),
    });
    try {
      await addSite(registry, "anna");
      await registry.addDomain("anna", "www.anna.example");
      await registry.removeDomain("anna", "www.anna.example");
      await eventually(() => expect(seen.flat()).toHaveLength(4));
      const domains = ["anna.example", "www.anna.example"];
      expect(seen.flat().at(-1)).toMatchObject({ siteId: "anna", domains });
      const ids = seen.flat().map((change) => change?.id ?? 0);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    } finally {
      await followed.close();
    }
  });

  test("each due site is taken by one process, and is due again if nobody finishes it", async () => {
    const { registry, again } = await make();
    for (const id of ["a", "b", "c"]) await addSite(registry, id);
    const at = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString();
    await registry.wakeAt("a", at(0));
    await registry.wakeAt("b", at(-5));
    await registry.wakeAt("c", at(60));
    // Later than what is noted already.
    await registry.wakeAt("b", at(600));
    await registry.suspend("a");
    const other = await again();
    const taken = await Promise.all([registry.takeDue(5, 120_000), other.takeDue(5, 120_000)]);
    expect(taken.flat()).toEqual(["b"]);
    clock.advance(119_000);
    expect(await registry.takeDue(5, 120_000)).toEqual(["c"]);
    clock.advance(2000);
    expect(await registry.takeDue(5, 120_000)).toEqual(["b"]);
    await registry.setWakeTime("b", null);
    clock.advance(1_000_000);
    expect(await registry.takeDue(5, 120_000)).toEqual(["c"]);
  });

  test("abuse 231: work that is due wakes no site that another node has awake, until that node is lost", async () => {
    const { registry, again } = await make();
    for (const id of ["a", "b"]) await addSite(registry, id);
    const other = (await again()).nodes;
    const dueNow = async () => {
      for (const id of ["a", "b"]) await registry.setWakeTime(id, "2026-01-01T00:00:00.000Z");
      return (await registry.takeDue(5, 120_000)).toSorted();
    };
    await other.noteAwake("a", "two", 60_000);
    await other.noteAwake("b", "two", 60_000);
    expect(await dueNow()).toEqual([]);
    expect(await registry.nodes.listAwake()).toHaveLength(2);
    await other.forgetAwake("two", "b");
    expect(await dueNow()).toEqual(["b"]);
    // It isn't noted again.
    await other.noteAwake("a", "two", -1);
    expect(await dueNow()).toEqual(["a", "b"]);
    await other.noteAwake("a", "two", 60_000);
    // The same node after a restart.
    await other.forgetAwake("two");
    expect(await dueNow()).toEqual(["a", "b"]);
  });

  test("abuse 244: all nodes know a job of one, which runs once, and was interrupted if its node is lost", async () => {
    const { registry, again } = await make();
    const other = await again();
    const keyring = { active: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
    const unexpected: unknown[] = [];
    const onError = (_name: string, error: unknown) => void unexpected.push(error);
    const jobsOn = ({ jobs }: SiteRegistry, node: string) => {
      return makeSharedJobs({ records: recordsOn(jobs, node), keyring, onError });
    };
    const [one, two] = [jobsOn(registry, "one"), jobsOn(other, "two")];
    const work = Promise.withResolvers<{ link: string | null }>();
    const started = one.start({ name: "anna", kind: "create" }, (onProgress) => {
      onProgress("Installing");
      return work.promise;
    });
    expect(await started).toMatchObject({ state: "running", node: "one", progress: "Installing" });
    await expect
      .poll(async () => two.list())
      .toMatchObject([{ name: "anna", node: "one", state: "running", progress: "Installing" }]);
    const never = async () => ({ link: null });
    const second = two.start({ name: "anna", kind: "remove" }, never);
    await expect(second).rejects.toMatchObject({ code: "locked" });
    // A dismissal ends nothing that runs.
    await two.dismiss("anna");
    const link = "https://anna.example/admin/secret-link";
    work.resolve({ link });
    await expect.poll(async () => two.list()).toMatchObject([{ state: "done", link, error: null }]);
    // The database has the link only encrypted, for this site.
    expect(JSON.stringify(await registry.jobs.list())).not.toContain("secret-link");
    // A node without the key says so, instead of that there is none, and logs it once.
    const logged: unknown[] = [];
    const three = makeSharedJobs({
      records: recordsOn(other.jobs, "three"),
      keyring: { active: "k2", keys: new Map([["k2", Buffer.alloc(32, 2)]]) },
      onError: (_name, error) => void logged.push(error),
    });
    const unreadable = [{ state: "done", link: null, isLinkUnreadable: true }];
    expect(await three.list()).toMatchObject(unreadable);
    expect(await three.list()).toMatchObject(unreadable);
    expect(logged).toHaveLength(1);
    expect(await two.list()).toMatchObject([{ isLinkUnreadable: false }]);
    // What is refused leaves the job before.
    const refused = two.start({ name: "anna", kind: "remove" }, async () => {
      throw new AppError("locked", "Another command works on it.");
    });
    await expect(refused).rejects.toMatchObject({ code: "locked" });
    expect(await one.list()).toMatchObject([{ name: "anna", kind: "create", state: "done" }]);
    // Three at once, on all nodes together.
    for (const name of ["a", "b", "c"]) {
      await registry.jobs.begin({ name, kind: "create", node: "one" });
    }
    const fourth = two.start({ name: "d", kind: "create" }, never);
    await expect(fourth).rejects.toMatchObject({ code: "unavailable" });
    expect(unexpected).toEqual([]);
  });

  test("abuse 244: how a job has ended is stored however long the registry is away", async () => {
    const { registry } = await make();
    const keyring = { active: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
    let isAway = false;
    let attempts = 0;
    let renewals = 0;
    const reach = () => {
      attempts += 1;
      if (isAway) throw new AppError("unavailable", "Away.");
    };
    const { jobs } = registry;
    const records = {
      ...recordsOn(jobs, "one"),
      async renew(token: string, progress: string | null) {
        renewals += 1;
        return jobs.renew(token, progress);
      },
      async end(...given: Parameters<typeof jobs.end>) {
        reach();
        return jobs.end(...given);
      },
      async cancel(token: string) {
        reach();
        return jobs.cancel(token);
      },
    };
    const onError = () => {};
    const one = makeSharedJobs({ records, keyring, onError, renewMs: 5, retryMs: 1 });
    const link = "https://anna.example/admin/link";
    isAway = true;
    const job = { name: "anna", kind: "create" } as const;
    expect(await one.start(job, async () => ({ link }))).toMatchObject({ state: "done" });
    // This node knows it already, and the job doesn't count as lost.
    expect(await one.list()).toMatchObject([{ state: "done", link }]);
    const before = renewals;
    await expect.poll(() => attempts > 20 && renewals > before).toBe(true);
    expect(await jobs.list()).toMatchObject([{ state: "running" }]);
    isAway = false;
    await expect.poll(async () => jobs.list()).toMatchObject([{ state: "done" }]);
    expect(await one.list()).toMatchObject([{ state: "done", link }]);
    await one.dismiss("anna");
    // What is refused doesn't keep the name either, and is said at once.
    isAway = true;
    attempts = 0;
    const refused = one.start(job, async () => {
      throw new AppError("locked", "Another command works on it.");
    });
    await expect(refused).rejects.toMatchObject({ code: "locked" });
    await expect.poll(() => attempts).toBeGreaterThan(20);
    isAway = false;
    await expect.poll(async () => jobs.list()).toEqual([]);
  });

  test("abuse 244: a node that starts again doesn't take its earlier jobs for running", async () => {
    const { registry } = await make();
    const keyring = { active: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
    const { jobs } = registry;
    await jobs.begin({ name: "anna", kind: "create", node: "one" });
    await jobs.begin({ name: "bob", kind: "create", node: "two" });
    const elsewhere = await jobs.begin({ name: "carol", kind: "create", node: "one" });
    const one = makeSharedJobs({ records: recordsOn(jobs, "one"), keyring, onError() {} });
    const states = async () => (await one.list()).map(({ name, state }) => `${name} ${state}`);
    expect((await states()).toSorted()).toEqual(["anna failed", "bob running", "carol failed"]);
    // Another process of this node still does it, and notes that.
    await jobs.renew(elsewhere.token, null);
    expect(await states()).toContain("carol running");
    const work = Promise.withResolvers<{ link: null }>();
    await one.start({ name: "anna", kind: "create" }, (onProgress) => {
      onProgress("Installing");
      return work.promise;
    });
    expect(await states()).toContain("anna running");
    work.resolve({ link: null });
    await expect.poll(states).toContain("anna done");
  });

  test("abuse 244: a job whose node is lost is reported, and can be begun again on any node", async () => {
    const { deps } = await make();
    const database = openDatabase(registryAddress(deps));
    const lost = makeJobRecords(database, { leaseMs: -1 });
    const jobs = makeJobRecords(database);
    const { token } = await lost.begin({ name: "anna", kind: "create", node: "one" });
    expect(await jobs.list()).toMatchObject([
      { state: "failed", node: "one", error: { message: expect.stringContaining("(one)") } },
    ]);
    // It was only slow.
    expect(await jobs.renew(token, "Building its pages")).toBe(true);
    expect(await jobs.list()).toMatchObject([{ state: "running", progress: "Building its pages" }]);
    await lost.renew(token, null);
    const second = await jobs.begin({ name: "anna", kind: "create", node: "two" });
    expect(await jobs.list()).toMatchObject([{ state: "running", node: "two" }]);
    await jobs.end(second.token, { state: "failed", error: { code: "conflict", message: "No." } });
    expect(await jobs.list()).toMatchObject([{ state: "failed", error: { message: "No." } }]);
    await jobs.dismiss("anna");
    expect(await jobs.list()).toEqual([]);
    expect(await jobs.renew(token, null)).toBe(false);
    await jobs.end(token, { state: "done", link: null });
    expect(await jobs.list()).toEqual([]);
    // A result that comes late doesn't replace the newer one, whose link may not have been read.
    const late = await lost.begin({ name: "bob", kind: "create", node: "one" });
    await sql`update site_job set started_at = '2026-11-29T12:00:00.000Z' where token = ${late.token}`.execute(
      database.db,
    );
    const newer = await jobs.begin({ name: "bob", kind: "create", node: "two" });
    const link = { keyId: "k1", ciphertext: "sealed" };
    await jobs.end(newer.token, { state: "done", link });
    await jobs.end(late.token, { state: "failed", error: { code: "conflict", message: "No." } });
    expect(await jobs.list()).toMatchObject([{ name: "bob", state: "done", node: "two", link }]);
    await database.close();
  });

  test("abuse 232: a command whose lock was lost removes and finishes nothing of the next one's site", async () => {
    const { registry, again } = await make();
    const other = await again();
    expect(await registry.findReservation("anna")).toBeNull();
    const lost = await registry.reserve(anna);
    const { reservation } = await other.reserve(anna);
    const refused = { code: "conflict" };
    const tryAll = async (held: string | null) => {
      await expect(registry.nodes.begin("anna", held)).rejects.toMatchObject(refused);
      await expect(registry.nodes.discard("anna", held)).rejects.toMatchObject(refused);
      await expect(registry.activate("anna", held)).rejects.toMatchObject(refused);
      await expect(registry.remove("anna", held)).rejects.toMatchObject(refused);
    };
    for (const held of [null, lost.reservation]) await tryAll(held);
    const incarnation = await other.nodes.begin("anna", reservation);
    const copy = { settings: "{}", keys: { keyId: "k1", ciphertext: "sealed" }, incarnation };
    await other.nodes.complete("anna", copy);
    await other.activate("anna", reservation);
    for (const held of [null, lost.reservation, reservation]) await tryAll(held);
    await expect(registry.findReservation("anna")).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(await registry.get("anna")).toMatchObject({ status: "active" });
    expect(await registry.nodes.find("anna")).toEqual({ ...copy, version: 1 });
  });

  test("abuse 232: a removal whose lock was lost removes nothing of a site that is there again", async () => {
    const { registry, again } = await make();
    const other = await again();
    const refused = { code: "conflict" };
    const createAnna = async () => {
      const { reservation } = await other.reserve(anna);
      await other.activate("anna", reservation);
    };
    await createAnna();
    const lost = await registry.beginRemoval("anna");
    expect(await other.get("anna")).toMatchObject({ status: "suspended" });
    await other.resume("anna");
    await expect(registry.nodes.discard("anna", lost)).rejects.toMatchObject(refused);
    const next = await other.beginRemoval("anna");
    await expect(registry.remove("anna", lost)).rejects.toMatchObject(refused);
    await other.remove("anna", next);
    await createAnna();
    await expect(registry.nodes.discard("anna", lost)).rejects.toMatchObject(refused);
    await expect(registry.remove("anna", lost)).rejects.toMatchObject(refused);
    expect(await registry.get("anna")).toMatchObject({ status: "active" });
  });

  test("of two commands that create a site on two nodes, one completes it", async () => {
    const { registry, again } = await make();
    const other = await again();
    const keys = { keyId: "k1", ciphertext: "sealed" };
    const first = await registry.nodes.begin("anna");
    const incarnation = await other.nodes.begin("anna");
    const copy = { settings: "{}", keys };
    await expect(
      registry.nodes.complete("anna", { ...copy, incarnation: first }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(await registry.nodes.find("anna")).toBeNull();
    await other.nodes.complete("anna", { ...copy, incarnation });
    const made = await registry.nodes.find("anna");
    expect(made).toEqual({ ...copy, incarnation, version: 1 });
    if (made === null) return;
    await other.nodes.change("anna", made);
    await expect(registry.nodes.change("anna", made)).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("the sites of PostgreSQL", () => {
  const make = useRegistries("postgres");

  test("abuse 219: each site's tables are in a schema of its own, which a dump of others lacks", async () => {
    const { deps } = await make();
    const url = deps.databaseUrl ?? "";
    for (const id of ["anna", "bo-b"]) {
      const database = openDatabase({ url: inSchema(url, siteSchema(id)), file: "" });
      await migrate({ database, now: 0 });
      await database.close();
    }
    const { dumpPostgres } = await import("../../platform/db/dump.ts");
    const { run } = await import("../../platform/process.ts");
    await using folder = await tempFolder();
    const tablesIn = async (address: string) => {
      const file = join(folder.path, "dump");
      await dumpPostgres(address, file);
      const { stdout } = await run("pg_restore", ["--list", file], {});
      return stdout;
    };
    const own = await tablesIn(url);
    expect(own).not.toContain("vitrine_site");
    const ofAnna = await tablesIn(inSchema(url, siteSchema("anna")));
    expect(ofAnna).toContain("TABLE vitrine_site_anna run");
    expect(ofAnna).not.toMatch(/vitrine_site_bo|TABLE public|vitrine_sites/);
  });
});

describe("the registry in SQLite", () => {
  const make = useRegistries("sqlite");

  test("its file is for its own user alone", async () => {
    const { deps } = await make();
    expect((await stat(deps.paths.siteRegistry)).mode & 0o777).toBe(0o600);
  });
});
