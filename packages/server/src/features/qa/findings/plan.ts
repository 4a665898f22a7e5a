import type { Observation } from "vitrine-qa/src/engine/job.ts";
import { findingContent, isSame, pagesOf } from "./finding-content.ts";
import type { Coverage } from "./coverage.ts";
import type { FindingRow, NewFinding } from "./store.ts";

/** How a QA run changes the findings. */
export interface Plan {
  insert: NewFinding[];
  /** Whole rows in their new form. */
  replace: FindingRow[];
  /** IDs of findings that were seen unchanged. */
  touch: number[];
  /** Were open or queued and are gone. */
  fix: number[];
  /** Are ignored and gone; they stay ignored. */
  goneIgnored: number[];
  reopen: number[];
}

export interface PlanOptions {
  runId: number;
  /** ISO 8601. */
  at: string;
  rows: readonly FindingRow[];
  observations: readonly Observation[];
  coverage: Coverage;
  /** The reporting program; null for our own engine. */
  reporter: string | null;
  /** Tasks published before the run started: what the run still sees, they haven't fixed. */
  published: ReadonlySet<number>;
}

/** One observation per defect, even if the engine reported several. */
function byFingerprint(observations: readonly Observation[]): Map<string, Observation> {
  const found = new Map<string, Observation>();
  for (const seen of observations) {
    const first = found.get(seen.fingerprint);
    const merged = first && {
      ...first,
      occurrences: [...first.occurrences, ...seen.occurrences],
      occurrenceCount: first.occurrenceCount + seen.occurrenceCount,
      pageCount: Math.max(first.pageCount, seen.pageCount),
    };
    found.set(seen.fingerprint, merged ?? seen);
  }
  return found;
}

function newRow(seen: Observation, { runId, at, coverage, reporter }: PlanOptions): NewFinding {
  return {
    ...findingContent(seen, coverage, null),
    fingerprint: seen.fingerprint,
    status: "open",
    instruction: null,
    task_id: null,
    ignore_id: null,
    reporter,
    first_seen_at: at,
    last_seen_at: at,
    fixed_at: null,
    seen_count: 1,
    first_run_id: runId,
    last_run_id: runId,
  };
}

const priority = { queued: 0, open: 1, ignored: 2, fixed: 3 } as const;

/**
 * The rows as this version identifies their defects. A row that an earlier version stored becomes
 * that of the defect's present fingerprint. If it stored several for one cause, the first one does;
 * a fixed one has ended.
 */
function renamed(
  rows: readonly FindingRow[],
  observed: ReadonlyMap<string, Observation>,
): { row: FindingRow; isRenamed: boolean }[] {
  const present = new Map(
    [...observed.values()].flatMap(({ fingerprint, formerly = [] }) =>
      formerly.map((former) => [former, fingerprint] as const),
    ),
  );
  const taken = new Set(rows.map(({ fingerprint }) => fingerprint));
  const names = new Map<number, string>();
  const byPriority = rows.toSorted(
    (a, b) => priority[a.status] - priority[b.status] || a.id - b.id,
  );
  for (const { id, fingerprint, status } of byPriority) {
    const name = observed.has(fingerprint) ? undefined : present.get(fingerprint);
    if (name === undefined || taken.has(name) || status === "fixed") continue;
    taken.add(name);
    names.set(id, name);
  }
  return rows.map((row) => {
    const fingerprint = names.get(row.id);
    return fingerprint === undefined
      ? { row, isRenamed: false }
      : { row: Object.assign({}, row, { fingerprint }), isRenamed: true };
  });
}

/** The new status of a finding that was seen. */
function stateOfSeen(row: FindingRow, published: PlanOptions["published"]): FindingRow["status"] {
  if (row.status === "fixed") return "open";
  const fixed = row.status === "queued" && row.task_id !== null && published.has(row.task_id);
  return fixed ? "open" : row.status;
}

/** Plans what a run changes in the existing findings. */
export function makePlan(options: PlanOptions): Plan {
  const { rows, coverage, at, runId, published } = options;
  const plan: Plan = {
    insert: [],
    replace: [],
    touch: [],
    fix: [],
    goneIgnored: [],
    reopen: [],
  };
  const observed = byFingerprint(options.observations);

  function see(row: FindingRow, seen: Observation | null, isRenamed = false): void {
    const content = seen && findingContent(seen, coverage, row);
    const status = stateOfSeen(row, published);
    if (status !== row.status) plan.reopen.push(row.id);
    // What our own engine has seen belongs to it from then on.
    const reporter = options.reporter === null ? null : row.reporter;
    const state = status === row.status && row.fixed_at === null;
    const same = state && reporter === row.reporter;
    if (same && !isRenamed && (content === null || isSame(row, content))) {
      plan.touch.push(row.id);
      return;
    }
    plan.replace.push({
      ...row,
      ...content,
      status,
      reporter,
      fixed_at: null,
      last_seen_at: at,
      last_run_id: runId,
      seen_count: row.seen_count + 1,
    });
  }

  for (const { row, isRenamed } of renamed(rows, observed)) {
    const seen = observed.get(row.fingerprint);
    observed.delete(row.fingerprint);
    if (seen) {
      see(row, seen, isRenamed);
      continue;
    }
    if (row.fixed_at !== null) continue;
    const unseen = coverage.outcomeOfUnseen(row, pagesOf(row));
    if (unseen === "kept") see(row, null);
    else if (unseen === "gone")
      (row.status === "ignored" ? plan.goneIgnored : plan.fix).push(row.id);
  }
  plan.insert.push(...[...observed.values()].map((seen) => newRow(seen, options)));
  return plan;
}
