import type { ChecklistItem, PanelOverview } from "../features/admin-auth/page-views.ts";
import { countUnread } from "../features/contact/store.ts";
import type { Health } from "../features/health/health.ts";
import { countFindings } from "../features/qa/findings/list-store.ts";
import { findLatestFinishedRun } from "../features/qa/runs/store.ts";
import { serializeRuns } from "../features/runs/serialize-run.ts";
import { listRuns } from "../features/runs/store.ts";
import { countTasks } from "../features/tasks/board/list-store.ts";
import type { Db } from "../platform/db/connect.ts";

async function countPending(db: Db): Promise<PanelOverview["pendingWork"]> {
  const [{ needsReview, running, queued }, unread, { open }, lastRun] = await Promise.all([
    countTasks(db),
    countUnread(db),
    countFindings(db),
    findLatestFinishedRun(db),
  ]);
  return { review: needsReview, running, queued, unread, errors: lastRun && open.error };
}

/** What the admin's panel tells of the site, from the records. */
export async function panelOverview(
  db: Db,
  check: () => Promise<Health>,
  readChecklist: () => Promise<ChecklistItem[]>,
): Promise<PanelOverview> {
  const [recent, ready, published, waits, health, setup] = await Promise.all([
    listRuns(db, { page: 1, perPage: 5 }),
    listRuns(db, { page: 1, perPage: 1, status: "preview_ready" }),
    listRuns(db, { page: 1, perPage: 1, status: "published" }),
    countPending(db),
    check(),
    readChecklist(),
  ]);
  return {
    recent: await serializeRuns(db, recent.rows),
    waiting: (await serializeRuns(db, ready.rows))[0] ?? null,
    live: (await serializeRuns(db, published.rows))[0] ?? null,
    setup,
    pendingWork: waits,
    health,
  };
}
