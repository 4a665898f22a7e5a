import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Outbox, OutgoingMail } from "../../../platform/mailer/outgoing.ts";
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
  /** Posts what is due, now. */
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
  outbox: Outbox;
  /** Where the owner's mail goes now; null while it goes nowhere. */
  to: () => Promise<string | null>;
}

/** How long after a preview is ready its owner may take to come back before a mail is sent, in ms. */
const patience = 60_000;
/** A hidden tab asks every 15 s how its run is: silence of this length, in ms, means that it is closed. */
const silence = 45_000;
const longestQuote = 300;

function mailFor(row: RunRow, to: string): OutgoingMail {
  const page = URL.parse(row.page_url ?? "/", "http://site");
  const said = row.instruction.replaceAll(/\s+/g, " ").slice(0, longestQuote);
  return {
    purpose: "preview",
    to,
    subject: `Preview ready: ${row.message || said}`,
    content: {
      paragraphs: ["The change you asked for is built and waits for you. Nothing is live yet."],
      quote: row.summary === "" ? said : `${said}\n\n${row.summary}`,
      action: {
        label: "Look at it, then publish or discard it",
        path: `${page?.pathname ?? "/"}${page?.search ?? ""}#console`,
      },
    },
  };
}

/** The notices of this instance's runs. */
export function makeNotices(options: NoticesOptions): Notices {
  const { db, clock, log, presence, outbox, isAnothers = async () => false } = options;

  async function plan(runId: string): Promise<NoticeOutcome | OutgoingMail> {
    const row = await findRun(db, runId);
    if (row?.status !== "preview_ready" || presence.within(silence)) return "seen";
    const to = await options.to();
    return to === null ? "logged" : mailFor(row, to);
  }

  async function note(runId: string, planned: NoticeOutcome | OutgoingMail): Promise<void> {
    await db.transaction().execute(async (trx) => {
      if (!(await claimNotice(trx, runId, isoTime(clock.now())))) return;
      const mail = typeof planned === "string" ? null : planned;
      if (mail) await outbox.post(trx, mail);
      await putNoticeOutcome(trx, runId, typeof planned === "string" ? planned : "mailed");
    });
  }

  async function settle(runId: string): Promise<void> {
    try {
      await note(runId, await plan(runId));
    } catch (error) {
      log.error({ err: error, runId }, "the mail that a preview waits could not be posted");
      await note(runId, "failed");
    }
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
      outbox.wake();
    },
  };
}
