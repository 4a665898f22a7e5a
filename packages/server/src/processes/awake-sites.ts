import type { SiteWork } from "../features/sites/work-store.ts";
import type { Clock } from "../kit/clock.ts";
import { makeSemaphore } from "../kit/concurrency.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import type { Log } from "../platform/log.ts";

/** The processes of one site that is awake. */
export interface LaunchedSite {
  /** The Unix socket that its web listens on. */
  socket: string;
  /** Resolves when web and runner serve; rejects if they can't. */
  ready: Promise<void>;
  /** Resolves when they have ended. */
  ended: Promise<void>;
  stop(): void;
}

export interface AwakeSitesDependencies {
  clock: Clock;
  log: Log;
  /** How many sites have processes at once. */
  maxAwake: number;
  /** How long a site keeps them without anything to do, in ms. */
  idleMs: number;
  /** Starts a site's processes. `onActivity` is called while visitors or its owner use it. */
  launch(id: string, onActivity: (activity: { open: number }) => void): Promise<LaunchedSite>;
  /** What a site has to do. */
  readWork(id: string): Promise<SiteWork>;
  /** Notes that a site has processes here, at least for `leaseMs`. */
  lease(id: string): Promise<void>;
  /** Notes that it has none, and when it is to be woken; null: when somebody asks. */
  setWakeTime(id: string, at: string | null): Promise<void>;
  /** Throws unless the site may run now. */
  assertActive(id: string): Promise<void>;
  /** Called when a site's processes are about to end. */
  onSleep(id: string): void;
  /** How long to wait for another site to sleep, in ms; defaults to 10,000. */
  roomTimeoutMs?: number;
}

/** Which of an installation's further sites have processes. */
export interface AwakeSites {
  /**
   * Gives the socket of a site's web, and starts its processes before if necessary. Another site goes
   * to sleep for it if there are too many: the least recently used one of those that do nothing.
   * Throws `unavailable` if none can, or if the site can't be started.
   */
  wake(id: string, options?: { isTimed?: boolean }): Promise<string>;
  /** Ends a site's processes, whatever they do. */
  stop(id: string): Promise<void>;
  /** Puts sites to sleep that have had nothing to do for long. Call it regularly. */
  sweep(): Promise<void>;
  /** The sites that have processes. */
  list(): string[];
  /** Whether a site that is due could be woken without disturbing others. */
  hasRoom(): boolean;
  close(): Promise<void>;
}

interface AwakeSite {
  id: string;
  state: "starting" | "ready" | "stopping";
  launched: LaunchedSite | null;
  socket: Promise<string>;
  /** By the monotonic clock. */
  usedAt: number;
  openRequests: number;
  leasedAt: number;
  /** Whether it isn't its fault if it doesn't start. */
  isCalledOff: boolean;
  /** Resolves when nothing of it is left. */
  gone: Promise<void>;
}

/** A killed process leaves this in the registry: the site is woken again after so long, in ms. */
export const leaseMs = 120_000;
const renewMs = 30_000;
/** What is due so soon is waited for, in ms. */
export const soonMs = 60_000;
/** A timed wake-up disturbs nobody who was here so recently, in ms. */
const recentMs = 60_000;
/** The pause after a failed start, doubled with each: first and last, in ms. */
const retryMs = { first: 5000, last: 300_000 };
const maxStarting = 2;

function noRoom(): AppError {
  return new AppError("unavailable", "The server is busy. Try again in a moment.", {
    headers: { "retry-after": "10" },
  });
}

/** Keeps sites that can't be started from being tried all the time. */
function makeFailures(clock: Clock) {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    assertMayTry(id: string): void {
      const failed = failures.get(id);
      if (failed === undefined || clock.monotonic() >= failed.until) return;
      const seconds = String(Math.ceil((failed.until - clock.monotonic()) / 1000));
      const message = "This site can't be started at the moment. Try again later.";
      throw new AppError("unavailable", message, { headers: { "retry-after": seconds } });
    },
    add(id: string): void {
      const count = (failures.get(id)?.count ?? 0) + 1;
      const pause = Math.min(retryMs.last, retryMs.first * 2 ** (count - 1));
      failures.set(id, { count, until: clock.monotonic() + pause });
    },
    clear: (id: string) => void failures.delete(id),
  };
}

/** Wakes sites and lets them sleep. Nothing here is lost if the process is killed. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeAwakeSites(deps: AwakeSitesDependencies): AwakeSites {
  const { clock, log, maxAwake, idleMs, roomTimeoutMs = 10_000 } = deps;
  const sites = new Map<string, AwakeSite>();
  const failures = makeFailures(clock);
  const starting = makeSemaphore(maxStarting);
  /** Called when a site is gone, or may have become one that can sleep. */
  const waiting = new Set<() => void>();
  let isClosed = false;
  const announceRoom = () => waiting.forEach((look) => look());

  const lease = (site: AwakeSite) => {
    site.leasedAt = clock.monotonic();
    return deps.lease(site.id);
  };

  /** Ends a site's processes and notes when it is to be woken, by what it has left to do. */
  function stopSite(site: AwakeSite): Promise<void> {
    if (site.state === "stopping") return site.gone;
    site.state = "stopping";
    deps.onSleep(site.id);
    const end = async () => {
      // One that is starting is stopped as soon as there is something to stop.
      site.launched?.stop();
      await site.socket.catch(() => {});
      site.launched?.stop();
      await site.launched?.ended;
      try {
        const { isBusy, nextAt } = await deps.readWork(site.id);
        await deps.setWakeTime(site.id, isBusy ? isoTime(clock.now()) : nextAt);
      } catch (error) {
        // Its lease in the registry has it looked at again.
        log.warn({ err: error, site: site.id }, "what a site has to do can't be read");
      }
    };
    site.gone = end().finally(() => {
      if (sites.get(site.id) === site) sites.delete(site.id);
      log.info({ site: site.id }, "site sleeps");
      announceRoom();
    });
    return site.gone;
  }

  async function hasWork(site: AwakeSite): Promise<boolean> {
    try {
      return (await deps.readWork(site.id)).isBusy;
    } catch (error) {
      log.warn({ err: error, site: site.id }, "what a site has to do can't be read");
      return false;
    }
  }

  /** The least recently used first, those with open requests last. */
  function candidates(isTimed: boolean): AwakeSite[] {
    const now = clock.monotonic();
    return [...sites.values()]
      .filter(({ state, usedAt, openRequests }) => {
        if (state !== "ready") return false;
        return !isTimed || (openRequests === 0 && now - usedAt >= recentMs);
      })
      .toSorted(
        (a, b) => Number(a.openRequests > 0) - Number(b.openRequests > 0) || a.usedAt - b.usedAt,
      );
  }

  async function makeRoom(isTimed: boolean): Promise<void> {
    const deadline = performance.now() + roomTimeoutMs;
    while (sites.size >= maxAwake) {
      let isLeaving = [...sites.values()].some(({ state }) => state === "stopping");
      for (const site of isLeaving ? [] : candidates(isTimed)) {
        if (await hasWork(site)) continue;
        void stopSite(site);
        isLeaving = true;
        break;
      }
      const left = deadline - performance.now();
      if (left <= 0 || (isTimed && !isLeaving)) throw noRoom();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      const timer = setTimeout(resolve, Math.min(left, 1000));
      await promise;
      clearTimeout(timer);
      waiting.delete(resolve);
    }
  }

  async function start(site: AwakeSite): Promise<string> {
    await lease(site);
    const launched = await deps.launch(site.id, ({ open }) => {
      site.usedAt = clock.monotonic();
      site.openRequests = open;
    });
    site.launched = launched;
    // They end by themselves only if they can't run.
    void launched.ended.then(() => void stopSite(site));
    try {
      await launched.ready;
    } catch (error) {
      launched.stop();
      throw error;
    }
    if (site.state === "starting") site.state = "ready";
    site.usedAt = clock.monotonic();
    return launched.socket;
  }

  function add(id: string): AwakeSite {
    const began = clock.monotonic();
    const site: AwakeSite = {
      id,
      state: "starting",
      launched: null,
      socket: Promise.resolve(""),
      usedAt: began,
      openRequests: 0,
      leasedAt: began,
      isCalledOff: false,
      gone: Promise.resolve(),
    };
    sites.set(id, site);
    site.socket = starting.run(() => start(site));
    void report(site, began);
    return site;
  }

  async function report(site: AwakeSite, began: number): Promise<void> {
    const { id } = site;
    try {
      await site.socket;
      failures.clear(id);
      const ms = Math.round(clock.monotonic() - began);
      log.info({ site: id, ms }, "site is awake");
    } catch (error) {
      if (!site.isCalledOff) {
        failures.add(id);
        log.error({ err: error, site: id }, "a site can't be started");
      }
      void stopSite(site);
    }
  }

  async function wake(id: string, isTimed: boolean): Promise<string> {
    for (;;) {
      if (isClosed) throw noRoom();
      const known = sites.get(id);
      if (known !== undefined && known.state !== "stopping") {
        if (!isTimed) known.usedAt = clock.monotonic();
        return known.socket;
      }
      await known?.gone;
      await deps.assertActive(id);
      failures.assertMayTry(id);
      // Others may have been quicker.
      if (sites.has(id)) continue;
      if (sites.size >= maxAwake) await makeRoom(isTimed);
      else return add(id).socket;
    }
  }

  return {
    wake: (id, { isTimed = false } = {}) => wake(id, isTimed),
    async stop(id) {
      const site = sites.get(id);
      if (site === undefined) return;
      site.isCalledOff = true;
      await stopSite(site);
    },
    async sweep() {
      const now = clock.monotonic();
      for (const site of sites.values()) {
        if (site.state !== "ready") continue;
        if (now - site.leasedAt >= renewMs) await lease(site);
        const isIdle = now - site.usedAt >= idleMs && site.openRequests === 0;
        if (isIdle && !(await hasWork(site)) && site.state === "ready") void stopSite(site);
      }
    },
    list: () => [...sites.keys()],
    hasRoom: () => !isClosed && (sites.size < maxAwake || candidates(true).length > 0),
    async close() {
      isClosed = true;
      announceRoom();
      const all = [...sites.values()];
      await Promise.all(
        all.map((site) => {
          site.isCalledOff = true;
          return stopSite(site);
        }),
      );
    },
  };
}
