import { expect, test, vi } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../../test/support/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { createLog } from "../../../platform/log.ts";
import { type Schedule, makeSchedule } from "./schedule.ts";

const minute = 60_000;

/** An instance without a database: its runs, by when they began and whose they are. */
function instance() {
  const clock: FakeClock = fakeClock(0);
  const timers: { at: number; work: () => void }[] = [];
  const started: { at: number; runnerId: string }[] = [];
  const dead = new Set<string>();
  let running = false;
  let failure: Error | null = null;

  function runner(runnerId: string, everyMinutes = 60): Schedule {
    return makeSchedule({
      runnerId,
      everyMinutes,
      firstMs: 90_000,
      clock,
      log: createLog({ level: "silent", name: "test" }),
      isGone: async (id) => dead.has(id),
      lastScheduledRun: async () => {
        const last = started.at(-1);
        return last ? { ms: clock.now() - last.at, runnerId: last.runnerId } : null;
      },
      runs: {
        start: async () => {
          if (failure) throw failure;
          if (running) throw new AppError("invalid_state", "A QA run is already in progress.");
          started.push({ at: clock.now(), runnerId });
          return {} as never;
        },
      },
      setTimer(ms, work) {
        const timer = { at: clock.now() + ms, work };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    });
  }

  /** Lets time go by, from timer to timer. */
  async function run(ms: number): Promise<void> {
    const end = clock.now() + ms;
    for (;;) {
      const [next] = timers.toSorted((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      timers.splice(timers.indexOf(next), 1);
      clock.advance(next.at - clock.now());
      next.work();
      // What a pulse asks of the database settles before anything else happens.
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advance(end - clock.now());
  }

  return {
    clock,
    started,
    dead,
    runner,
    runOver: run,
    timers,
    times: () => started.map(({ at }) => at),
    setRunning: (on: boolean) => (running = on),
    fail: (error: Error | null) => (failure = error),
  };
}

test("the first scheduled run starts 90 s after the start, then one every hour", async () => {
  const here = instance();
  const heart = here.runner("one");
  expect(heart.nextAt()).toBeNull();
  heart.start();
  expect(heart.nextAt()).toBe("1970-01-01T00:01:30.000Z");
  await here.runOver(89_999);
  expect(here.times()).toEqual([]);
  await here.runOver(1);
  expect(here.times()).toEqual([90_000]);
  expect(heart.nextAt()).toBe("1970-01-01T01:01:30.000Z");
  await here.runOver(180 * minute);
  expect(here.times()).toEqual([0, 60, 120, 180].map((at) => 90_000 + at * minute));
  await heart.close();
  expect(heart.nextAt()).toBeNull();
  await here.runOver(600 * minute);
  expect(here.times()).toHaveLength(4);
});

test("several runners share one schedule, and a remaining one takes it over", async () => {
  const here = instance();
  const one = here.runner("one");
  const two = here.runner("two");
  one.start();
  await here.runOver(20 * minute);
  two.start();
  await here.runOver(8 * 60 * minute);
  const gaps = here.times().map((at, n, all) => at - (all[n - 1] ?? at));
  expect(gaps.slice(1).every((gap) => gap === 60 * minute)).toBe(true);
  await one.close();
  here.dead.add("one");
  const before = here.times().length;
  await here.runOver(5 * 60 * minute);
  expect(here.times().length - before).toBe(5);
  await two.close();
});

test("after a restart, the first run starts soon, even if the last one was recent", async () => {
  const here = instance();
  const before = here.runner("before");
  before.start();
  await here.runOver(5 * minute);
  await before.close();
  here.dead.add("before");
  here.runner("after").start();
  await here.runOver(90_000);
  expect(here.times()).toEqual([90_000, 5 * minute + 90_000]);
});

test("a running run isn't started twice, and a failure doesn't end the schedule", async () => {
  const here = instance();
  const heart = here.runner("one", 10);
  here.setRunning(true);
  heart.start();
  await here.runOver(2 * minute);
  expect(here.times()).toEqual([]);
  here.setRunning(false);
  here.fail(new Error("the database is away"));
  await here.runOver(10 * minute);
  here.fail(null);
  await here.runOver(10 * minute);
  expect(here.times()).toEqual([90_000 + 20 * minute]);
  await heart.close();
});

test("an interval of 0 turns the schedule off; an interval of a week fits into a timer", async () => {
  const here = instance();
  const off = here.runner("one", 0);
  off.start();
  expect(off.nextAt()).toBeNull();
  expect(here.timers).toEqual([]);
  const weekly = here.runner("one", 10_080);
  weekly.start();
  await here.runOver(90_000);
  expect(here.timers[0]?.at).toBeLessThan(2 ** 31);
  expect(weekly.nextAt()).toBe("1970-01-08T00:01:30.000Z");
});

test("a runner that ends during a scheduled run waits for it and starts no other", async () => {
  const here = instance();
  const requested = Promise.withResolvers<null>();
  const start = vi.fn<() => Promise<never>>(async () => ({}) as never);
  let work = () => {};
  const heart = makeSchedule({
    runnerId: "one",
    everyMinutes: 60,
    firstMs: 90_000,
    clock: here.clock,
    log: createLog({ level: "silent", name: "test" }),
    isGone: async () => false,
    lastScheduledRun: () => requested.promise,
    runs: { start },
    setTimer: (_ms, given) => {
      work = given;
      return () => {};
    },
  });
  heart.start();
  work();
  const closing = heart.close();
  requested.resolve(null);
  await closing;
  expect(heart.nextAt()).toBeNull();
  expect(start).not.toHaveBeenCalled();
});
