import { findMediaBySrc } from "../../packages/server/src/features/media/store.ts";
import { createTask } from "../../packages/server/src/features/tasks/create-task.ts";
import { reviewChange } from "../../packages/server/src/features/tasks/review/review.ts";
import type { ReviewReason, TaskScope } from "../../packages/server/src/features/tasks/schema.ts";
import { deriveScope } from "../../packages/server/src/features/tasks/scope/derive-scope.ts";
import { readScope } from "../../packages/server/src/features/tasks/scope/task-scope.ts";
import { findScopes } from "../../packages/server/src/features/tasks/store.ts";
import type { BuildReport } from "../../packages/server/src/features/runs/schema.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { reviewBrowser } from "../../packages/server/src/processes/review-browser.ts";
import type { CaseTask, ReviewCase } from "./case.ts";
import { baseUrl, type PreparedCase } from "./site.ts";

const nothingFound: BuildReport = {
  pages: 0,
  findings: [],
  added: { error: 0, warning: 0, notice: 0 },
  fixed: 0,
  brokenLinks: 0,
  bytes: { before: 0, after: 0 },
  blank: [],
};

/** The task's scope, derived as in the queue. */
async function scopeOf(db: Db, task: CaseTask, attachments: number[]): Promise<TaskScope> {
  const { kind, instruction, pageUrl = null, finding } = task;
  if (finding) {
    const { check, page, target } = finding;
    return deriveScope({
      kind,
      instruction: "",
      pageUrl,
      projectPath: null,
      hasAttachments: false,
      finding: { check, pages: [page], targets: target === null ? [] : [target] },
    });
  }
  const created = { kind, instruction, pageUrl, attachments, priority: 0 };
  const deps = { db, clock: systemClock, model: async () => null };
  const row = await createTask(deps, created, "Mara Lindqvist");
  return readScope(row, (await findScopes(db, [row.id])).get(row.id));
}

/**
 * Why a person has to review the result of a case; empty: it is published unattended. The checks
 * can only add reasons, so they are skipped if there are others.
 * @param options `quick`: judge the files only, without the checks and the browser
 */
export async function judge(
  db: Db,
  { task }: ReviewCase,
  { check, files, ...built }: PreparedCase,
  { quick = false }: { quick?: boolean | undefined } = {},
): Promise<ReviewReason[]> {
  const media = [...(await findMediaBySrc(db, task.attachments ?? [])).values()];
  const scope = await scopeOf(
    db,
    task,
    media.map(({ id }) => id),
  );
  const job = {
    ...built,
    files,
    scope,
    attachedImages: media.map(({ src, variants, alt }) => ({
      paths: [src, ...variants.map((one) => one.src)],
      alt,
    })),
    limits: defaultLimits.tasks,
    baseUrl,
  };
  // First without the slowest part: what is found this way would be found with it, too.
  const first = await reviewChange({ ...job, report: nothingFound, browser: null });
  const found = first.filter(({ kind }) => kind !== "unchecked" && kind !== "appearance");
  if (found.length > 0) return first;
  return quick ? [] : reviewChange({ ...job, report: await check(), browser: reviewBrowser });
}
