import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Ledger } from "../agent/ledger/ledger.ts";
import { countUnread } from "../contact/store.ts";
import { listFailedTargets } from "../publish-targets/store.ts";
import { countFindings } from "../qa/findings/list-store.ts";
import { findLatestFinishedRun } from "../qa/runs/store.ts";
import { rebuildFailure } from "../release/rebuild-requests.ts";
import { countTasks } from "../tasks/board/list-store.ts";
import * as items from "./attention.ts";
import type { Overview, OverviewItem } from "./schema.ts";
import * as store from "./store.ts";

/** A pause of this length ends a visit, in ms. */
const visitPauseMs = 3_600_000;
/** How long a failure is shown, in days. */
const failureDays = 7;
const dayMs = 86_400_000;

export interface OverviewDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  ledger: Pick<Ledger, "ceilings" | "spentByOrigin" | "currency">;
  /** How email is sent, and whether visitors can create accounts. */
  readEmail(): Promise<{ isSet: boolean; canSignUp: boolean; stuck: number }>;
  /** A newer version of Vitrine, if one is known, and the last upgrade, if it failed. */
  readUpgrade(): Promise<Parameters<typeof items.upgradeItems>[0]>;
  /** Called if a part can't be read; the response names it. */
  onError(part: string, error: unknown): void;
}

/** Reads parts independently: failures are named, and the others are shown. */
function partReader({ onError }: Pick<OverviewDependencies, "onError">) {
  const unavailable: string[] = [];
  async function read<T>(part: string, task: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await task();
    } catch (error) {
      onError(part, error);
      if (!unavailable.includes(part)) unavailable.push(part);
      return otherwise;
    }
  }
  return { unavailable, read };
}

type PartReader = ReturnType<typeof partReader>;

/**
 * Since when things count as new. A visit ends after an hour's pause; news of the next visit start
 * at that time and stay until the next pause, however often the overview is opened.
 */
async function readVisit(
  { db, clock }: OverviewDependencies,
  isVisit: boolean,
): Promise<string | null> {
  const at = isoTime(clock.now());
  const endedBefore = isoTime(clock.now() - visitPauseMs);
  if (isVisit) return store.putVisit(db, { at, endedBefore });
  const visit = await store.findVisit(db);
  if (visit === null) return null;
  return visit.lastSeenAt <= endedBefore ? visit.lastSeenAt : visit.since;
}

async function readAttention(
  deps: OverviewDependencies,
  { read }: PartReader,
): Promise<Pick<Overview, "attention" | "queue">> {
  const { db, clock } = deps;
  const recently = isoTime(clock.now() - failureDays * dayMs);
  const none: OverviewItem[] = [];
  const [
    tasks,
    failedTasks,
    previews,
    failedRuns,
    rebuild,
    targets,
    messages,
    errors,
    email,
    upgrade,
  ] = await Promise.all([
    read("tasks", () => countTasks(db), null),
    read(
      "tasks",
      async () =>
        items.failedTaskItems(
          await store.countEndedTasks(db, ["failed", "reverted"], recently),
          failureDays,
        ),
      none,
    ),
    read("runs", async () => items.previewItems(await store.countPreviews(db)), none),
    read(
      "runs",
      async () => items.failedRunItems(await store.countFailedRuns(db, recently), failureDays),
      none,
    ),
    read("builds", async () => items.rebuildItems((await rebuildFailure(db)) !== null), none),
    read("publish targets", async () => items.targetItems(await listFailedTargets(db)), none),
    read("messages", async () => items.messageItems(await countUnread(db)), none),
    read("QA", async () => items.errorItems(await countErrors(db)), none),
    read("email", async () => items.emailItems(await deps.readEmail()), none),
    read("upgrade", async () => items.upgradeItems(await deps.readUpgrade()), none),
  ]);
  const review = items.reviewItems(tasks?.needsReview ?? 0);
  return {
    attention: [
      review,
      previews,
      rebuild,
      targets,
      failedTasks,
      failedRuns,
      messages,
      errors,
      email,
      upgrade,
    ].flat(),
    queue: tasks && { running: tasks.running, queued: tasks.queued },
  };
}

/** Open errors; null before the first QA run. */
async function countErrors(db: Db): Promise<number | null> {
  const [{ open }, lastRun] = await Promise.all([countFindings(db), findLatestFinishedRun(db)]);
  return lastRun && open.error;
}

async function readNews(db: Db, since: string, { read }: PartReader): Promise<OverviewItem[]> {
  const counts: [string, keyof items.News, () => Promise<number>][] = [
    ["runs", "publishedRuns", () => store.countPublishedRuns(db, since)],
    ["tasks", "publishedTasks", () => store.countEndedTasks(db, ["published"], since)],
    ["tasks", "failedTasks", () => store.countEndedTasks(db, ["failed", "reverted"], since)],
    ["messages", "messages", () => store.countNewMessages(db, since)],
    ["QA", "newFindings", () => store.countNewFindings(db, since)],
    ["QA", "fixedFindings", () => store.countFixedFindings(db, since)],
    ["accounts", "accounts", () => store.countNewAccounts(db, since)],
  ];
  const found = await Promise.all(
    counts.map(([part, kind, count]) =>
      read(part, async () => items.newsItems(kind, await count()), []),
    ),
  );
  return found.flat();
}

async function readCost(
  { ledger }: OverviewDependencies,
  since: string | null,
): Promise<Overview["cost"]> {
  const [ceilings, currency, month, sinceVisit] = await Promise.all([
    ledger.ceilings(),
    ledger.currency(),
    ledger.spentByOrigin("month"),
    since === null ? null : ledger.spentByOrigin({ since }),
  ]);
  return { currency, month, ceiling: ceilings.month, sinceVisit };
}

/**
 * What needs the owner, what has happened since the last visit, and what it cost. With `isVisit`,
 * the overview counts as seen. Parts that can't be read are named and left out.
 */
export async function readOverview(
  deps: OverviewDependencies,
  { isVisit }: { isVisit: boolean },
): Promise<Overview> {
  const parts = partReader(deps);
  const since = await parts.read("visits", () => readVisit(deps, isVisit), null);
  const [attention, news, cost] = await Promise.all([
    readAttention(deps, parts),
    since === null ? [] : readNews(deps.db, since, parts),
    parts.read("costs", () => readCost(deps, since), null),
  ]);
  return { ...attention, since, news, cost, unavailable: parts.unavailable };
}
