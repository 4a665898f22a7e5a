import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { MailContent, Outbox, OutgoingMail } from "../../../platform/mailer/outgoing.ts";
import {
  claimNotice,
  dueNotices,
  hasNewerNotice,
  putNoticeOutcome,
  type TaskNotice,
} from "./store.ts";
import type { ReviewReason, TaskStatus } from "../schema.ts";
import { findTask, type NoticeKind, type NoticeOutcome, type TaskRow } from "../store.ts";

/** Tells the owner by mail of tasks that wait for review and of those that came to nothing. */
export interface TaskNotices {
  /** Posts what is due, now. */
  look(): Promise<void>;
}

export interface TaskNoticesOptions {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Outbox;
  /** Where the owner's mail goes now; null while it goes nowhere. */
  to: () => Promise<string | null>;
}

const longestQuote = 300;
const shownItems = 5;

/** The states in which a notice of each kind is still news. */
const newsIn: Readonly<Record<NoticeKind, readonly TaskStatus[]>> = {
  needs_review: ["needs_review"],
  failed: ["reverted", "failed"],
};

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= longestQuote ? line : `${line.slice(0, longestQuote - 1).trimEnd()}…`;
}

function reasonWords({ message, items }: ReviewReason): string {
  const lines = items.slice(0, shownItems).map((item) => `  ${shortened(item)}`);
  const more = items.length - lines.length;
  if (more > 0) lines.push(`  and ${more} more`);
  return [`- ${message}`, ...lines].join("\n");
}

function quoted({ title, instruction }: TaskRow): string {
  const asked = shortened(instruction);
  return asked.startsWith(title) ? asked : `${title}\n${asked}`;
}

function reviewWords(row: TaskRow): MailContent {
  const reasons = JSON.parse(row.review) as ReviewReason[];
  const why = ["Why you should look at it first:", ...reasons.map(reasonWords)].join("\n");
  return {
    paragraphs: [
      "A task is done and built, and waits for you before it goes live. Nothing of it is live yet.",
      ...(reasons.length === 0 ? [] : [why]),
    ],
    quote: quoted(row),
    action: { label: "Look at it, then approve or discard it", path: pathOf(row) },
  };
}

function failureWords(row: TaskRow): MailContent {
  const what =
    row.status === "reverted"
      ? "A task could not be carried out, and nothing of it was kept."
      : "A task has failed.";
  return {
    paragraphs: [
      `${what} Nothing of it is live: the site is as it was.`,
      ...(row.error ? [`Why: ${shortened(row.error)}`] : []),
    ],
    quote: quoted(row),
    action: { label: "Look at it, or try it again", path: pathOf(row) },
  };
}

function pathOf({ id }: TaskRow): string {
  return `/admin/tasks?task=${id}`;
}

function mailFor(row: TaskRow, kind: NoticeKind, to: string): OutgoingMail {
  const waits = kind === "needs_review";
  const content = waits ? reviewWords(row) : failureWords(row);
  const news = waits ? "needs review" : row.status === "reverted" ? "was reverted" : "has failed";
  return { purpose: "task", to, subject: `Task ${news}: ${row.title}`, content };
}

/** The notices of this instance's tasks. */
export function makeTaskNotices(options: TaskNoticesOptions): TaskNotices {
  const { db, clock, log, outbox } = options;

  async function plan(notice: TaskNotice): Promise<NoticeOutcome | OutgoingMail> {
    const row = await findTask(db, notice.task_id);
    if (row === null || !newsIn[notice.kind].includes(row.status)) return "seen";
    if (await hasNewerNotice(db, notice)) return "seen";
    const to = await options.to();
    return to === null ? "logged" : mailFor(row, notice.kind, to);
  }

  async function note({ id }: TaskNotice, planned: NoticeOutcome | OutgoingMail): Promise<void> {
    await db.transaction().execute(async (trx) => {
      if (!(await claimNotice(trx, id, isoTime(clock.now())))) return;
      const mail = typeof planned === "string" ? null : planned;
      if (mail) await outbox.post(trx, mail);
      await putNoticeOutcome(trx, id, typeof planned === "string" ? planned : "mailed");
    });
  }

  async function settle(notice: TaskNotice): Promise<void> {
    try {
      await note(notice, await plan(notice));
    } catch (error) {
      const { task_id: taskId } = notice;
      log.error({ err: error, taskId }, "the mail about a task could not be posted");
      await note(notice, "failed");
    }
  }

  return {
    async look() {
      for (const notice of await dueNotices(db)) await settle(notice);
      outbox.wake();
    },
  };
}
