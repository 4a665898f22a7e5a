import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Publisher } from "../release/publish.ts";
import type { RunEvents } from "./events.ts";
import { isUnderWay } from "./publishing.ts";
import { activeStatuses } from "./run.ts";
import type { Registry } from "./runners/registry.ts";
import { ownersOf } from "./runners/store.ts";
import type { RunStatus } from "./schema.ts";
import { runsIn } from "./store.ts";

export interface SettlingOptions {
  db: Db;
  clock: Clock;
  events: RunEvents;
  publisher: Pick<Publisher, "recover">;
  /** This runner, and who else works on the instance. */
  runnerId: string;
  registry: Pick<Registry, "isGone">;
  /** Whether this process is carrying the run out, or publishing it. */
  isAtWork(runId: string): boolean;
}

/**
 * Ends what nobody works on any more: a run that was being worked on is interrupted, a publish that
 * never began is ready again, one that has begun is given to the publisher. What a living runner
 * works on stays as it is.
 */
export interface Settling {
  /** At boot, before this process begins with anything: what earlier processes left. */
  atBoot(): Promise<void>;
  /** From time to time: what runners left that have died since, and what slipped from this one. */
  again(): Promise<void>;
}

interface Held {
  id: string;
  owner: string | undefined;
}

type IsLeft = (run: Held) => Promise<boolean> | boolean;

/** Of the runs in these states, those that are left. */
async function leftIn(db: Db, statuses: readonly RunStatus[], isLeft: IsLeft): Promise<Held[]> {
  const ids = (await runsIn(db, statuses)).map((row) => row.id);
  // Judged after the runs were read: who is gone by then has begun all of them before.
  const owners = await ownersOf(db, ids);
  const left: Held[] = [];
  for (const id of ids) {
    const run = { id, owner: owners.get(id) };
    if (await isLeft(run)) left.push(run);
  }
  return left;
}

async function interrupt({ events, clock }: SettlingOptions, runId: string): Promise<void> {
  const error = "The server stopped during this run.";
  await events.transition(
    runId,
    activeStatuses,
    { status: "interrupted", error, finished_at: isoTime(clock.now()) },
    [{ type: "run.finished", data: { status: "interrupted", error } }],
  );
}

/** Somebody publishes it after all. */
class Publishing extends Error {}

async function makeReadyAgain({ events }: SettlingOptions, { id, owner }: Held): Promise<void> {
  // With its row held: whoever begins to publish it holds that too.
  const nobodyDoes = async (transaction: Db) => {
    const now = (await ownersOf(transaction, [id])).get(id);
    if (now !== owner || (await isUnderWay(transaction, id))) throw new Publishing();
  };
  try {
    await events.transition(id, ["publishing"], { status: "preview_ready" }, [], nobodyDoes);
  } catch (error) {
    if (!(error instanceof Publishing)) throw error;
  }
}

async function settle(options: SettlingOptions, isLeft: IsLeft): Promise<void> {
  const { db, publisher } = options;
  for (const { id } of await leftIn(db, activeStatuses, isLeft)) await interrupt(options, id);
  const publishing = await leftIn(db, ["publishing"], isLeft);
  if (publishing.length > 0) await publisher.recover();
  for (const run of publishing) await makeReadyAgain(options, run);
}

/** Asks once in a pass about each runner. */
function goneInPass({ registry }: SettlingOptions): (owner: string) => Promise<boolean> {
  const answers = new Map<string, Promise<boolean>>();
  return (owner) => {
    const answer = answers.get(owner) ?? registry.isGone(owner);
    answers.set(owner, answer);
    return answer;
  };
}

export function makeSettling(options: SettlingOptions): Settling {
  const { runnerId, isAtWork } = options;
  /** Runs of this runner at which it was not at work when they were last looked at. */
  let idle: ReadonlySet<string> = new Set();

  return {
    atBoot() {
      const isGone = goneInPass(options);
      return settle(options, ({ owner }) => {
        return owner === undefined || owner === runnerId || isGone(owner);
      });
    },
    async again() {
      const isGone = goneInPass(options);
      const before = idle;
      const now = new Set<string>();
      // One whose end could not be written down, as without the database. Twice: a run is written
      // down a moment before the work on it begins.
      const hasSlipped = (id: string) => {
        if (isAtWork(id)) return false;
        now.add(id);
        return before.has(id);
      };
      await settle(options, ({ id, owner }) => {
        if (owner === runnerId) return hasSlipped(id);
        return owner === undefined || isGone(owner);
      });
      idle = now;
    },
  };
}
