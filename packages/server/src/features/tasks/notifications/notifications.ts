import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type {
  EmailContent,
  Outbox,
  OutgoingEmail,
} from "../../../platform/mailer/outgoing-email.ts";
import {
  claimNotification,
  listDueNotifications,
  hasNewerNotification,
  saveNotificationOutcome,
  type TaskNotification,
} from "./store.ts";
import type { ReviewReason, TaskStatus } from "../schema.ts";
import {
  findTask,
  type NotificationKind,
  type NotificationOutcome,
  type TaskRow,
} from "../store.ts";

/** Emails the owner about tasks that need review or have failed. */
export interface TaskNotifications {
  /** Sends due notifications now. */
  sendDue(): Promise<void>;
}

export interface TaskNotificationsDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Outbox;
  /** The owner's current address; null if there is none. */
  to: () => Promise<string | null>;
}

const maxQuoteLength = 300;
const maxItems = 5;

/** The states in which a notification of each kind is still relevant. */
const relevantStatuses: Readonly<Record<NotificationKind, readonly TaskStatus[]>> = {
  needs_review: ["needs_review"],
  failed: ["reverted", "failed"],
};

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= maxQuoteLength ? line : `${line.slice(0, maxQuoteLength - 1).trimEnd()}…`;
}

function reasonText({ message, items }: ReviewReason): string {
  const lines = items.slice(0, maxItems).map((item) => `  ${shortened(item)}`);
  const more = items.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more`);
  return [`- ${message}`, ...lines].join("\n");
}

function quoted({ title, instruction }: TaskRow): string {
  const quote = shortened(instruction);
  return quote.startsWith(title) ? quote : `${title}\n${quote}`;
}

function reviewText(row: TaskRow): EmailContent {
  const reasons = JSON.parse(row.review) as ReviewReason[];
  const why = ["Why it needs your review:", ...reasons.map(reasonText)].join("\n");
  return {
    paragraphs: [
      "A task is done and needs your review before it goes live. Nothing is live yet.",
      ...(reasons.length === 0 ? [] : [why]),
    ],
    quote: quoted(row),
    action: { label: "Review, then approve or discard", path: pathOf(row) },
  };
}

function failureText(row: TaskRow): EmailContent {
  const what =
    row.status === "reverted"
      ? "A task couldn't be completed, and none of its changes were kept."
      : "A task has failed.";
  return {
    paragraphs: [
      `${what} Your site hasn't changed.`,
      ...(row.error ? [`Why: ${shortened(row.error)}`] : []),
    ],
    quote: quoted(row),
    action: { label: "See what happened or try again", path: pathOf(row) },
  };
}

function pathOf({ id }: TaskRow): string {
  return `/admin/tasks?task=${id}`;
}

function emailFor(row: TaskRow, kind: NotificationKind, to: string): OutgoingEmail {
  const waits = kind === "needs_review";
  const content = waits ? reviewText(row) : failureText(row);
  const updates = waits
    ? "needs review"
    : row.status === "reverted"
      ? "was reverted"
      : "has failed";
  return { purpose: "task", to, subject: `Task ${updates}: ${row.title}`, content };
}

/** The notifications of this instance's tasks. */
export function makeTaskNotifications(deps: TaskNotificationsDependencies): TaskNotifications {
  const { db, clock, log, outbox } = deps;

  async function plan(
    notification: TaskNotification,
  ): Promise<NotificationOutcome | OutgoingEmail> {
    const row = await findTask(db, notification.task_id);
    if (row === null || !relevantStatuses[notification.kind].includes(row.status)) return "seen";
    if (await hasNewerNotification(db, notification)) return "seen";
    const to = await deps.to();
    return to === null ? "logged" : emailFor(row, notification.kind, to);
  }

  async function note(
    { id }: TaskNotification,
    planned: NotificationOutcome | OutgoingEmail,
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      if (!(await claimNotification(trx, id, isoTime(clock.now())))) return;
      const email = typeof planned === "string" ? null : planned;
      if (email) await outbox.enqueue(trx, email);
      await saveNotificationOutcome(trx, id, typeof planned === "string" ? planned : "emailed");
    });
  }

  async function send(notification: TaskNotification): Promise<void> {
    try {
      await note(notification, await plan(notification));
    } catch (error) {
      const { task_id: taskId } = notification;
      log.error({ err: error, taskId }, "the email about a task couldn't be queued");
      await note(notification, "failed");
    }
  }

  return {
    async sendDue() {
      for (const notification of await listDueNotifications(db)) await send(notification);
      outbox.wake();
    },
  };
}
