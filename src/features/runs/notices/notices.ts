import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Mailer } from "../../../platform/mailer/mailer.ts";
import { findRun, type RunRow } from "../store.ts";
import {
  claimNotice,
  dueNotices,
  insertNotice,
  type NoticeOutcome,
  putNoticeOutcome,
  unnotedRuns,
} from "./store.ts";

/** When somebody last looked at the console: an open stream or a call of a signed-in admin. */
export interface Presence {
  /** Notes that somebody is there now. */
  seen(): void;
  /** Notes that somebody is there until the function that comes back is called. */
  stay(): () => void;
  /** Whether somebody was there within the last `ms`. */
  within(ms: number): boolean;
}

export function makePresence(clock: Pick<Clock, "monotonic">): Presence {
  let staying = 0;
  let last = Number.NEGATIVE_INFINITY;
  const seen = () => {
    last = clock.monotonic();
  };
  return {
    seen,
    stay() {
      staying += 1;
      return () => {
        staying -= 1;
        seen();
      };
    },
    within: (ms) => staying > 0 || clock.monotonic() - last <= ms,
  };
}

/** Tells an owner who has closed the console that a preview waits. */
export interface Notices {
  /** To be called when a run is ready. */
  ready(runId: string): Promise<void>;
  /** To be called at boot: notes what a dead process had no time for. */
  recover(): Promise<void>;
  /** Sends what is due, now. */
  look(): Promise<void>;
}

export interface NoticesOptions {
  db: Db;
  clock: Clock;
  log: Log;
  presence: Pick<Presence, "within">;
  /**
   * Whether another process, which lives, has made the preview: the owner is there if at all, and
   * that one knows. None unless told.
   */
  isAnothers?: (runId: string) => Promise<boolean>;
  mailer: Mailer;
  /** Where the owner's mail goes now; null while it goes nowhere. */
  to: () => Promise<string | null>;
  baseUrl: string;
}

/** How long after a preview is ready its owner may take to come back before a mail is sent, in ms. */
const patience = 60_000;
/** A hidden tab asks every 15 s how its run is: silence of this length, in ms, means that it is closed. */
const silence = 45_000;
const longestQuote = 300;

function mailFor(row: RunRow, to: string, baseUrl: string) {
  const page = new URL(row.page_url ?? "/", baseUrl);
  page.hash = "console";
  const said = row.instruction.replaceAll(/\s+/g, " ").slice(0, longestQuote);
  const text = [
    "The change you asked for is built and waits for you:",
    `  ${said}`,
    ...(row.summary === "" ? [] : ["", row.summary]),
    "",
    "Nothing is live yet. Look at it, then publish or discard it:",
    page.href,
  ].join("\n");
  return { to, subject: `Preview ready: ${row.message || said}`, text };
}

/** The notices of this instance's runs. */
export function makeNotices(options: NoticesOptions): Notices {
  const { db, clock, log, presence, mailer, isAnothers = async () => false } = options;

  async function tell(row: RunRow | null): Promise<NoticeOutcome> {
    if (row?.status !== "preview_ready" || presence.within(silence)) return "seen";
    const to = await options.to();
    if (to === null) return "logged";
    const { by } = await mailer.send(mailFor(row, to, options.baseUrl));
    return by === "log" ? "logged" : "mailed";
  }

  async function settle(runId: string): Promise<void> {
    // Claimed before it is sent: a crash between the two costs a mail, never sends one again and again.
    if (!(await claimNotice(db, runId, isoTime(clock.now())))) return;
    const outcome = await tell(await findRun(db, runId)).catch((error: unknown) => {
      log.error({ err: error, runId }, "the mail that a preview waits could not be sent");
      return "failed" as const;
    });
    await putNoticeOutcome(db, runId, outcome);
  }

  const ready = (runId: string) => insertNotice(db, runId, isoTime(clock.now() + patience));
  return {
    ready,
    async recover() {
      for (const runId of await unnotedRuns(db)) await ready(runId);
    },
    async look() {
      for (const runId of await dueNotices(db, isoTime(clock.now()))) {
        if (!(await isAnothers(runId))) await settle(runId);
      }
    },
  };
}
