import type { OverviewItem } from "./schema.ts";

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

function item(kind: string, count: number, text: string, href: string): OverviewItem[] {
  return count === 0 ? [] : [{ kind, count, text, href }];
}

export const reviewItems = (count: number): OverviewItem[] =>
  item(
    "review",
    count,
    plural(count, "task waits for your review", "tasks wait for your review"),
    "/admin/tasks?column=needs_review",
  );

export const previewItems = (count: number): OverviewItem[] =>
  item(
    "preview",
    count,
    count === 1
      ? "1 change isn’t live yet: publish or discard its preview"
      : `${count} changes aren’t live yet: publish or discard their previews`,
    "/admin/runs?status=preview_ready",
  );

/** Saved records that visitors can't see yet because the site couldn't be built with them. */
export const rebuildItems = (hasFailed: boolean): OverviewItem[] =>
  item(
    "rebuild",
    hasFailed ? 1 : 0,
    "Your saved changes aren’t live yet because the last build of the site failed",
    "/admin/projects",
  );

export const failedTaskItems = (count: number, days: number): OverviewItem[] =>
  item(
    "failed_tasks",
    count,
    `${plural(count, "task", "tasks")} failed in the last ${days} days`,
    "/admin/tasks?column=ended",
  );

export const failedRunItems = (count: number, days: number): OverviewItem[] =>
  item(
    "failed_runs",
    count,
    `${plural(count, "change", "changes")} failed in the last ${days} days`,
    "/admin/runs?status=failed",
  );

export const messageItems = (count: number): OverviewItem[] =>
  item(
    "messages",
    count,
    plural(count, "unread message", "unread messages"),
    "/admin/messages?unread=1",
  );

/** `errors`: number of open errors; null before the first QA run. */
export const errorItems = (errors: number | null): OverviewItem[] =>
  errors === null
    ? item("qa", 1, "QA hasn’t checked your site yet", "/admin/qa")
    : item(
        "errors",
        errors,
        plural(errors, "error on your site", "errors on your site"),
        "/admin/qa?severity=error",
      );

/**
 * `canSignUp`: whether visitors can create accounts; `stuck`: emails that have been waiting for a
 * day.
 */
export function emailItems(email: {
  isSet: boolean;
  canSignUp: boolean;
  stuck: number;
}): OverviewItem[] {
  const missing = email.canSignUp && !email.isSet;
  return [
    ...item(
      "email",
      missing ? 1 : 0,
      "Visitors can sign up, but nobody can confirm an address because email isn’t set up",
      "/admin/settings#mail",
    ),
    ...item(
      "stuck_emails",
      email.stuck,
      plural(
        email.stuck,
        "email has been waiting for more than a day",
        "emails have been waiting for more than a day",
      ),
      "/admin/settings#mail",
    ),
  ];
}

/** Publish targets that couldn't be sent to. */
export function targetItems(names: readonly string[]): OverviewItem[] {
  const [name = ""] = names;
  const text =
    names.length === 1
      ? `Your site couldn’t be sent to “${name}”`
      : `Your site couldn’t be sent to ${names.length} publish targets`;
  return item("publish_targets", names.length, text, "/admin/settings#targets");
}

/**
 * `available`: a newer version of Vitrine; `failed`: the last upgrade, if it failed lately.
 */
export function upgradeItems({
  available,
  failed,
}: {
  available: string | null;
  failed: { to: string | null; reason: string | null } | null;
}): OverviewItem[] {
  const reason = (failed?.reason ?? "it was interrupted").replace(/\.$/, "").slice(0, 300);
  return [
    ...item(
      "failed_upgrade",
      failed === null ? 0 : 1,
      `The upgrade to version ${failed?.to ?? "?"} failed and changed nothing: ${reason}`,
      "/admin/settings#updates",
    ),
    ...item(
      "new_version",
      available === null ? 0 : 1,
      `Version ${available} of Vitrine is available: run \`vitrine upgrade\``,
      "/admin/settings#updates",
    ),
  ];
}

/** Counts of what has happened since the last visit. */
export interface News {
  publishedRuns: number;
  publishedTasks: number;
  failedTasks: number;
  messages: number;
  newFindings: number;
  fixedFindings: number;
  accounts: number;
}

const newsTexts: Readonly<Record<keyof News, { one: string; many: string; href: string }>> = {
  publishedRuns: {
    one: "change published",
    many: "changes published",
    href: "/admin/runs?status=published",
  },
  publishedTasks: {
    one: "task published",
    many: "tasks published",
    href: "/admin/tasks?column=published",
  },
  failedTasks: { one: "task failed", many: "tasks failed", href: "/admin/tasks?column=ended" },
  messages: { one: "new message", many: "new messages", href: "/admin/messages" },
  newFindings: { one: "new QA finding", many: "new QA findings", href: "/admin/qa" },
  fixedFindings: {
    one: "QA finding fixed",
    many: "QA findings fixed",
    href: "/admin/qa?status=fixed",
  },
  accounts: { one: "new account", many: "new accounts", href: "/admin/members" },
};

export function newsItems(kind: keyof News, count: number): OverviewItem[] {
  const { one, many, href } = newsTexts[kind];
  return item(kind, count, plural(count, one, many), href);
}
