import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Mailer } from "../../../platform/mailer/mailer.ts";
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
  /** Sends what is due, now. */
  look(): Promise<void>;
}

export interface TaskNoticesOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  /** Where the owner's mail goes now; null while it goes nowhere. */
  to: () => Promise<string | null>;
  baseUrl: string;
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

function reasonWords({ message, items }: ReviewReason): string[] {
  const lines = items.slice(0, shownItems).map((item) => `    ${shortened(item)}`);
  const more = items.length - lines.length;
  if (more > 0) lines.push(`    and ${more} more`);
  return [`- ${message}`, ...lines];
}

function reviewWords(row: TaskRow): string[] {
  const reasons = JSON.parse(row.review) as ReviewReason[];
  return [
    "A task is done and built, and waits for you before it goes live:",
    ...quoted(row),
    ...(reasons.length === 0 ? [] : ["", "Why you should look at it first:"]),
    ...reasons.flatMap(reasonWords),
    "",
    "Nothing of it is live yet. Look at it, then approve or discard it:",
  ];
}

function failureWords(row: TaskRow): string[] {
  return [
    row.status === "reverted"
      ? "A task could not be carried out, and nothing of it was kept:"
      : "A task has failed:",
    ...quoted(row),
    ...(row.error ? ["", "Why:", `  ${shortened(row.error)}`] : []),
    "",
    "Nothing of it is live: the site is as it was. Look at it, or try it again:",
  ];
}

function quoted({ title, instruction }: TaskRow): string[] {
  const asked = shortened(instruction);
  return asked.startsWith(title) ? [`  ${asked}`] : [`  ${title}`, `  ${asked}`];
}

function mailFor(row: TaskRow, kind: NoticeKind, to: string, baseUrl: string) {
  const page = new URL("/admin/tasks", baseUrl);
  page.searchParams.set("task", String(row.id));
  const waits = kind === "needs_review";
  const words = waits ? reviewWords(row) : failureWords(row);
  const news = waits ? "needs review" : row.status === "reverted" ? "was reverted" : "has failed";
  const subject = `Task ${news}: ${row.title}`;
  return { to, subject, text: [...words, page.href].join("\n") };
}

/** The notices of this instance's tasks. */
export function makeTaskNotices(options: TaskNoticesOptions): TaskNotices {
  const { db, clock, log, mailer } = options;

  async function tell(notice: TaskNotice): Promise<NoticeOutcome> {
    const row = await findTask(db, notice.task_id);
    if (row === null || !newsIn[notice.kind].includes(row.status)) return "seen";
    if (await hasNewerNotice(db, notice)) return "seen";
    const to = await options.to();
    if (to === null) return "logged";
    const { by } = await mailer.send(mailFor(row, notice.kind, to, options.baseUrl));
    return by === "log" ? "logged" : "mailed";
  }

  async function settle(notice: TaskNotice): Promise<void> {
    // Claimed before it is sent: a crash between the two costs a mail, never sends one again and again.
    if (!(await claimNotice(db, notice.id, isoTime(clock.now())))) return;
    const outcome = await tell(notice).catch((error: unknown) => {
      log.error({ err: error, taskId: notice.task_id }, "the mail about a task could not be sent");
      return "failed" as const;
    });
    await putNoticeOutcome(db, notice.id, outcome);
  }

  return {
    async look() {
      for (const notice of await dueNotices(db)) await settle(notice);
    },
  };
}
