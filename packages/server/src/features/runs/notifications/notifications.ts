import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Outbox, OutgoingEmail } from "../../../platform/mailer/outgoing-email.ts";
import { findRun, type RunRow } from "../store.ts";
import {
  claimNotification,
  insertNotification,
  listDueNotifications,
  listRunsWithoutNotification,
  type NotificationOutcome,
  saveNotificationOutcome,
} from "./store.ts";

/** When the admin last used the console: an open stream or a request. */
export interface Presence {
  /** Records that the admin is present now. */
  markSeen(): void;
  /** Records that the admin is present until the returned function is called. */
  openStream(): () => void;
  /** Whether the admin was present within the last `ms`. */
  isSeenWithin(ms: number): boolean;
}

export function makePresence(clock: Pick<Clock, "monotonic">): Presence {
  let openStreams = 0;
  let last = Number.NEGATIVE_INFINITY;
  const markSeen = () => {
    last = clock.monotonic();
  };
  return {
    markSeen,
    openStream() {
      openStreams += 1;
      return () => {
        openStreams -= 1;
        markSeen();
      };
    },
    isSeenWithin: (ms) => openStreams > 0 || clock.monotonic() - last <= ms,
  };
}

/** Emails the owner about a waiting preview if the console is closed. */
export interface PreviewNotifications {
  /** Call when a run is ready. */
  onPreviewReady(runId: string): Promise<void>;
  /** Call at startup: schedules what a dead process didn't. */
  recover(): Promise<void>;
  /** Sends due notifications. */
  sendDue(): Promise<void>;
}

export interface PreviewNotificationsDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  presence: Pick<Presence, "isSeenWithin">;
  /** How nodes tell each other that the admin is present; null if there are no others. */
  sharedPresence?: {
    put(): Promise<void>;
    isSeenWithin(ms: number): Promise<boolean>;
  } | null;
  /**
   * Whether another live process has made the preview: that one knows whether the owner is present.
   * Defaults to never.
   */
  isOwnedByOther?: (runId: string) => Promise<boolean>;
  outbox: Outbox;
  /** The owner's current email address; null if there is none. */
  findRecipient: () => Promise<string | null>;
}

/** How long after a preview is ready the owner can come back before an email is sent, in ms. */
const delayMs = 60_000;
/** A hidden tab polls every 15 s, so silence of this length, in ms, means that it is closed. */
const absenceMs = 45_000;
/** How recently the admin was present if other nodes are told, in ms. */
const presentMs = 10_000;
const maxQuoteCharacters = 300;

function composeEmail(row: RunRow, to: string): OutgoingEmail {
  const page = URL.parse(row.page_url ?? "/", "http://site");
  const quote = row.instruction.replaceAll(/\s+/g, " ").slice(0, maxQuoteCharacters);
  return {
    purpose: "preview",
    to,
    subject: `Preview ready: ${row.message || quote}`,
    content: {
      paragraphs: ["The change you asked for is ready for your review. Nothing is live yet."],
      quote: row.summary === "" ? quote : `${quote}\n\n${row.summary}`,
      action: {
        label: "Review, then publish or discard",
        path: `${page?.pathname ?? "/"}${page?.search ?? ""}#console`,
      },
    },
  };
}

/** The notifications of this instance's runs. */
export function makePreviewNotifications(
  deps: PreviewNotificationsDependencies,
): PreviewNotifications {
  const { db, clock, log, presence, outbox, isOwnedByOther = async () => false } = deps;
  const { sharedPresence: shared = null } = deps;

  const isPresent = async () =>
    presence.isSeenWithin(absenceMs) || (await shared?.isSeenWithin(absenceMs)) === true;

  async function planNotification(runId: string): Promise<NotificationOutcome | OutgoingEmail> {
    const row = await findRun(db, runId);
    if (row?.status !== "preview_ready" || (await isPresent())) return "seen";
    const to = await deps.findRecipient();
    return to === null ? "logged" : composeEmail(row, to);
  }

  async function saveOutcome(
    runId: string,
    planned: NotificationOutcome | OutgoingEmail,
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      if (!(await claimNotification(trx, runId, isoTime(clock.now())))) return;
      const email = typeof planned === "string" ? null : planned;
      if (email) await outbox.enqueue(trx, email);
      await saveNotificationOutcome(trx, runId, typeof planned === "string" ? planned : "emailed");
    });
  }

  async function send(runId: string): Promise<void> {
    try {
      await saveOutcome(runId, await planNotification(runId));
    } catch (error) {
      log.error({ err: error, runId }, "the email about a waiting preview couldn't be queued");
      await saveOutcome(runId, "failed");
    }
  }

  const schedule = (runId: string) => insertNotification(db, runId, isoTime(clock.now() + delayMs));
  return {
    onPreviewReady: schedule,
    async recover() {
      for (const runId of await listRunsWithoutNotification(db)) await schedule(runId);
    },
    async sendDue() {
      if (presence.isSeenWithin(presentMs)) await shared?.put();
      for (const runId of await listDueNotifications(db, isoTime(clock.now()))) {
        if (!(await isOwnedByOther(runId))) await send(runId);
      }
      outbox.wake();
    },
  };
}
