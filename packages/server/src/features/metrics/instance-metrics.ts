import { lstat, readlink, stat, statfs } from "node:fs/promises";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { readLastBackup } from "../../platform/last-backup.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { MetricFamily } from "./exposition.ts";
import * as store from "./store.ts";

/** All values of each label, so that one that nothing has is a zero instead of missing. */
export interface LabelValues {
  runs: readonly string[];
  tasks: readonly string[];
  severities: readonly string[];
}

export interface InstanceMetricsDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  paths: InstancePaths;
  /** Whether the records are in `paths.database`. */
  isSqlite: boolean;
  version: string;
  values: LabelValues;
  /** The number of live runners. */
  countRunners(): Promise<number>;
}

function gauge(name: string, help: string, values: MetricFamily["samples"]): MetricFamily {
  return { name, help, type: "gauge", samples: values };
}

/** A metric of one value, or of none if it isn't known. */
function single(name: string, help: string, value: number | null): MetricFamily {
  return gauge(name, help, value === null ? [] : [{ labels: {}, value }]);
}

function seconds(at: string | null): number | null {
  return at === null ? null : Math.floor(Date.parse(at) / 1000);
}

function byLabel(
  label: string,
  names: readonly string[],
  counts: ReadonlyMap<string, number>,
): MetricFamily["samples"] {
  return names.map((name) => ({ labels: { [label]: name }, value: counts.get(name) ?? 0 }));
}

async function workFamilies({ db, clock, values, countRunners }: InstanceMetricsDependencies) {
  const [runs, tasks, oldest, runners] = await Promise.all([
    store.countRunsByStatus(db),
    store.countTasksByStatus(db),
    store.findOldestQueuedTask(db),
    countRunners(),
  ]);
  const runCounts = new Map(runs.map(({ status, count }) => [status, count]));
  const taskCounts = new Map(tasks.map(({ status, count }) => [status, count]));
  const waitedMs = oldest === null ? 0 : Math.max(0, clock.now() - Date.parse(oldest));
  return [
    gauge("vitrine_runs", "Runs, by state.", byLabel("status", values.runs, runCounts)),
    gauge("vitrine_tasks", "Tasks, by state.", byLabel("status", values.tasks, taskCounts)),
    single("vitrine_queue_oldest_seconds", "Age of the oldest waiting task.", waitedMs / 1000),
    single("vitrine_runners", "Runners that are alive.", runners),
  ];
}

async function siteFamilies({ db, paths, values }: InstanceMetricsDependencies) {
  const [findings, qaRun, hasFailed, release, published] = await Promise.all([
    store.countFindingsBySeverity(db),
    store.findLastQaRun(db),
    store.hasRebuildFailed(db),
    readlink(paths.current).then(
      (target) => Number(target.split("/").at(-1)),
      () => null,
    ),
    // Each publish creates the link; nothing changes it afterwards.
    lstat(paths.current).then(
      ({ mtimeMs }) => Math.floor(mtimeMs / 1000),
      () => null,
    ),
  ]);
  const counts = new Map(findings.map(({ severity, count }) => [severity, count]));
  return [
    gauge(
      "vitrine_findings",
      "Unfixed QA findings, by severity.",
      byLabel("severity", values.severities, counts),
    ),
    single(
      "vitrine_last_qa_run_timestamp_seconds",
      "When the last QA run finished.",
      seconds(qaRun),
    ),
    single("vitrine_rebuild_failed", "Whether the last rebuild failed.", hasFailed ? 1 : 0),
    single("vitrine_release", "Number of the current release.", release),
    single(
      "vitrine_last_publish_timestamp_seconds",
      "When the current release went live.",
      published,
    ),
  ];
}

/** The last backup, made on this node or on any other one. */
async function backupFamilies({ db, paths }: InstanceMetricsDependencies) {
  const times = [await readLastBackup(paths.data), await store.findLastBackup(db)];
  const last =
    times
      .filter((at) => at !== null)
      .toSorted()
      .at(-1) ?? null;
  return [
    single(
      "vitrine_last_backup_timestamp_seconds",
      "When the last backup was made.",
      seconds(last),
    ),
  ];
}

async function storageFamilies({ paths, isSqlite }: InstanceMetricsDependencies) {
  const [disk, database] = await Promise.all([
    statfs(paths.data),
    isSqlite ? stat(paths.database).then(({ size }) => size) : null,
  ]);
  const size = disk.blocks * disk.bsize;
  return [
    single("vitrine_disk_size_bytes", "Size of the file system with the data.", size),
    single("vitrine_disk_used_bytes", "Used space of it.", size - disk.bfree * disk.bsize),
    single(
      "vitrine_disk_free_bytes",
      "Space of it that Vitrine can use.",
      disk.bavail * disk.bsize,
    ),
    single("vitrine_database_bytes", "Size of the SQLite database.", database),
  ];
}

/**
 * What is the same for all processes of an instance. A part that can't be read is left out, and
 * `vitrine_metrics_errors` counts it.
 */
export async function readInstanceMetrics(
  deps: InstanceMetricsDependencies,
): Promise<MetricFamily[]> {
  const parts = [workFamilies, siteFamilies, storageFamilies, backupFamilies];
  const found = await Promise.allSettled(parts.map((read) => read(deps)));
  const failed = found.filter(({ status }) => status === "rejected").length;
  return [
    gauge("vitrine_info", "The program.", [{ labels: { version: deps.version }, value: 1 }]),
    single("vitrine_metrics_errors", "Parts of these metrics that couldn't be read.", failed),
    ...found.flatMap((part) => (part.status === "fulfilled" ? part.value : [])),
  ];
}
