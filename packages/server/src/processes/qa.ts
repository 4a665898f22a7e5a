import { tmpdir } from "node:os";
import { countMessages } from "../features/contact/store.ts";
import { makeEngine } from "vitrine-qa/src/engine/run.ts";
import { registerQa } from "../features/qa/api.ts";
import { autofix } from "../features/qa/fix/autofix.ts";
import { settleFixes } from "../features/qa/fix/settle.ts";
import { type Heartbeat, makeHeartbeat } from "../features/qa/pass/heartbeat.ts";
import { makePasses, type Passes } from "../features/qa/pass/passes.ts";
import { keptPasses, lastPulse, lastWholePass } from "../features/qa/pass/store.ts";
import { engineWithAppErrors } from "../features/qa/qa-errors.ts";
import { makeSummaries } from "../features/qa/pass/summary.ts";
import { sourcesFor } from "../features/resources/sources.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { Registry } from "../features/runs/runners/registry.ts";
import { countAliveRunners } from "../features/runs/runners/store.ts";
import { listRuns } from "../features/runs/store.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { repeat } from "./repeat.ts";

/** How long after the runner's start the first pulse comes, in ms. */
const firstPulseMs = 90_000;
/** How often it is looked what became of repairs, and whether a pass has lost its runner, in ms. */
const settleEveryMs = 3000;
const recoverEveryMs = 30_000;
/** A site of which nothing changes is read as a whole after this all the same, in ms. */
const wholeEveryMs = 24 * 60 * 60_000;
/** Private previews that are tried without a session. */
const triedPreviews = 3;

/** What looks at the site, for the runner. */
export interface RunnerQa {
  passes: Passes;
  heartbeat: Heartbeat;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** What every pass of an instance looks at. */
function jobOf({ config, database, clock, version }: Instance) {
  const { baseUrl, limits, qa } = config;
  const address = qa.address === null ? null : new URL(qa.address);
  const connect = address && {
    host: address.hostname.replace(/^\[|\]$/g, ""),
    port: Number(address.port || (address.protocol === "https:" ? 443 : 80)),
  };
  return async () => {
    const ready = { page: 1, perPage: triedPreviews, status: "preview_ready" } as const;
    const { rows } = await listRuns(database.db, ready);
    const whole = await lastWholePass(database.db);
    return {
      engine: `vitrine ${version}`,
      url: new URL("/", baseUrl).href,
      connect,
      limits: limits.qa,
      browser: "auto" as const,
      external: "due" as const,
      full: whole === null || Date.parse(whole) < clock.now() - wholeEveryMs,
      own: { version, previews: rows.map(({ id }) => new URL(`/_preview/${id}/`, baseUrl).href) },
    };
  };
}

function openPasses(
  instance: Instance,
  { agents, registry, wake }: { agents: Agents; registry: Registry; wake: () => void },
): Passes {
  const { config, facts, database, clock, log } = instance;
  const { db } = database;
  const mending = {
    db,
    clock,
    log,
    wake,
    modelChosen: async () => (await agents.choice.current()) !== null,
  };
  const { choice, ledger } = agents;
  const summaries = makeSummaries({
    db,
    log,
    choice: () => choice.current(),
    ledger,
    sources: () => sourcesFor(db, "qa"),
  });
  return makePasses({
    db,
    clock,
    log,
    runnerId: registry.id,
    isGone: (id) => registry.isGone(id),
    engine: engineWithAppErrors(
      makeEngine({ log, tempDir: tmpdir(), cacheDir: config.paths.compileCache }),
    ),
    job: jobOf(instance),
    countMessages: () => countMessages(db),
    async afterPass(passId) {
      const { autofix: enabled } = await facts.look();
      await autofix({ ...mending, enabled }, passId);
    },
    summarise: (passId, signal) => summaries.summarise(passId, signal),
    seconds: config.limits.qa.seconds,
    keep: keptPasses,
  });
}

/** Puts together what looks at the site for a runner; nothing begins before `start`. */
export function openQa(
  instance: Instance,
  parts: { agents: Agents; registry: Registry; wake: () => void },
): RunnerQa {
  const { config, database, clock, log } = instance;
  const { db } = database;
  const { registry } = parts;
  const passes = openPasses(instance, parts);
  const heartbeat = makeHeartbeat({
    passes,
    clock,
    log,
    everyMinutes: config.qa.heartbeatMinutes,
    firstMs: firstPulseMs,
    runnerId: registry.id,
    isGone: (id) => registry.isGone(id),
    lastPulse: () => lastPulse(db),
  });
  const settling = repeat(() => settleFixes({ db, clock, log, passes }), {
    everyMs: settleEveryMs,
    failed: (err) => log.error({ err }, "it can't be seen what became of repairs"),
  });
  const recovering = repeat(() => passes.recover(), {
    everyMs: recoverEveryMs,
    failed: (err) => log.error({ err }, "passes of dead runners can't be settled yet"),
  });
  return {
    passes,
    heartbeat,
    async start() {
      await passes.recover();
      heartbeat.start();
      settling.start();
      recovering.start();
    },
    async close() {
      await Promise.all([heartbeat.close(), settling.close(), recovering.close(), passes.close()]);
    },
  };
}

/** What was found, over HTTP, for the web process. */
export function registerFindings(
  app: AppServer,
  { config, facts, database, clock, version }: Instance,
  parts: { guard: AdminGuard; wake: () => void; nextAt: () => Promise<string | null> },
): void {
  const { db } = database;
  registerQa(app, {
    guard: parts.guard,
    db,
    clock,
    get ownerName() {
      return config.owner.name;
    },
    mostAttempts: config.limits.tasks.attempts,
    wake: parts.wake,
    runners: () => countAliveRunners(db),
    heartbeat: {
      minutes: config.qa.heartbeatMinutes,
      get autofix() {
        return facts.now().autofix;
      },
      nextAt: parts.nextAt,
    },
    site: { baseUrl: config.baseUrl, version },
  });
}
