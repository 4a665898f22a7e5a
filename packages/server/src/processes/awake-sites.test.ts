import { expect, test } from "vitest";
import { fakeClock } from "../../../../test/support/clock.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import type { SiteWork } from "../features/sites/work-store.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { createLog } from "../platform/log.ts";
import { leaseMs, makeAwakeSites } from "./awake-sites.ts";

interface FakeProcesses {
  id: string;
  stopped: boolean;
  serve(): void;
  fail(): void;
  use(open: number): void;
}

/** Sites whose processes start and end when a test says so. */
function setUp({ maxAwake = 2, isManual = false } = {}) {
  const clock = fakeClock(0);
  const running: FakeProcesses[] = [];
  const work = new Map<string, SiteWork>();
  const wakeTimes = new Map<string, string | null>();
  const asleep: string[] = [];
  const suspended = new Set<string>();
  const sites = makeAwakeSites({
    clock,
    log: createLog({ level: "silent", name: "test" }),
    maxAwake,
    idleMs: 600_000,
    roomTimeoutMs: 200,
    async launch(id, onActivity) {
      const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const processes: FakeProcesses = {
        id,
        stopped: false,
        serve: resolve,
        fail: () => end(),
        use: (open) => onActivity({ open }),
      };
      running.push(processes);
      void ended.then(() => reject(new Error("ended")));
      ready.catch(() => {});
      if (!isManual) resolve();
      const stop = () => {
        processes.stopped = true;
        end();
      };
      return { socket: `/run/${id}-${running.length}.sock`, ready, ended, stop };
    },
    readWork: async (id) => work.get(id) ?? { isBusy: false, nextAt: null },
    lease: async (id) => void wakeTimes.set(id, isoTime(clock.now() + leaseMs)),
    setWakeTime: async (id, at) => void wakeTimes.set(id, at),
    async assertActive(id) {
      if (suspended.has(id)) throw new AppError("unavailable", "suspended");
    },
    onSleep: (id) => void asleep.push(id),
  });
  return { clock, running, work, wakeTimes, asleep, suspended, sites };
}

test("who asks at once for a sleeping site gets the same processes", async () => {
  const { sites, running } = setUp();
  const sockets = await Promise.all([sites.wake("a"), sites.wake("a"), sites.wake("a")]);
  expect(sockets).toEqual(["/run/a-1.sock", "/run/a-1.sock", "/run/a-1.sock"]);
  expect(running).toHaveLength(1);
  await sites.close();
  expect(running[0]?.stopped).toBe(true);
});

test("a site sleeps after a while without requests and work, and is noted for its next work", async () => {
  const { sites, clock, work, wakeTimes, running } = setUp();
  await sites.wake("a");
  // While it is awake, the registry has it looked at again in case everything is killed.
  expect(wakeTimes.get("a")).toBe("1970-01-01T00:02:00.000Z");
  clock.advance(599_000);
  await sites.sweep();
  expect(sites.list()).toEqual(["a"]);
  running[0]?.use(1);
  clock.advance(3_600_000);
  await sites.sweep();
  expect(sites.list()).toEqual(["a"]);
  running[0]?.use(0);
  clock.advance(601_000);
  work.set("a", { isBusy: true, nextAt: null });
  await sites.sweep();
  expect(sites.list()).toEqual(["a"]);
  work.set("a", { isBusy: false, nextAt: "1970-01-02T00:00:00.000Z" });
  await sites.sweep();
  await eventually(() => expect(sites.list()).toEqual([]));
  expect(wakeTimes.get("a")).toBe("1970-01-02T00:00:00.000Z");
  expect(await sites.wake("a")).toBe("/run/a-2.sock");
});

test("abuse 217: room is made by the least recently used site, never by one that works", async () => {
  const { sites, clock, work, asleep } = setUp();
  await sites.wake("a");
  clock.advance(1000);
  await sites.wake("b");
  clock.advance(1000);
  work.set("a", { isBusy: true, nextAt: null });
  await sites.wake("c");
  expect(asleep).toEqual(["b"]);
  expect(sites.list().toSorted()).toEqual(["a", "c"]);
  work.set("c", { isBusy: true, nextAt: null });
  await expect(sites.wake("d")).rejects.toMatchObject({
    code: "unavailable",
    headers: { "retry-after": "10" },
  });
  expect(sites.list().toSorted()).toEqual(["a", "c"]);
});

test("a site that is due disturbs none that was just used", async () => {
  const { sites, clock, asleep } = setUp({ maxAwake: 1 });
  await sites.wake("a");
  expect(sites.hasRoom()).toBe(false);
  await expect(sites.wake("due", { isTimed: true })).rejects.toThrow("busy");
  clock.advance(61_000);
  expect(sites.hasRoom()).toBe(true);
  await sites.wake("due", { isTimed: true });
  expect(asleep).toEqual(["a"]);
});

test("abuse 218: a site that can't start isn't tried all the time, and holds up no other", async () => {
  const { sites, clock, running } = setUp({ isManual: true });
  const broken = sites.wake("broken");
  await eventually(() => expect(running).toHaveLength(1));
  const fine = sites.wake("fine");
  await eventually(() => expect(running).toHaveLength(2));
  running[0]?.fail();
  running[1]?.serve();
  await expect(broken).rejects.toThrow("ended");
  expect(await fine).toBe("/run/fine-2.sock");
  await eventually(() => expect(sites.list()).toEqual(["fine"]));
  await expect(sites.wake("broken")).rejects.toMatchObject({ headers: { "retry-after": "5" } });
  expect(running).toHaveLength(2);
  clock.advance(5001);
  const again = sites.wake("broken");
  await eventually(() => expect(running).toHaveLength(3));
  running[2]?.serve();
  expect(await again).toBe("/run/broken-3.sock");
});

test("a suspended site is stopped, also while it starts, and not started", async () => {
  const { sites, running, suspended } = setUp({ isManual: true });
  const starting = sites.wake("a");
  await eventually(() => expect(running).toHaveLength(1));
  suspended.add("a");
  const stopped = sites.stop("a");
  await expect(starting).rejects.toThrow("ended");
  await stopped;
  expect(running[0]?.stopped).toBe(true);
  await expect(sites.wake("a")).rejects.toThrow("suspended");
});

test("processes that end by themselves leave room", async () => {
  const { sites, running } = setUp({ maxAwake: 1 });
  await sites.wake("a");
  running[0]?.fail();
  await eventually(() => expect(sites.list()).toEqual([]));
  expect(await sites.wake("b")).toBe("/run/b-2.sock");
});
