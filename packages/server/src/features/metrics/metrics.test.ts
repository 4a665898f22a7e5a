import { severity } from "../qa/schema.ts";
import { runStatus } from "../runs/schema.ts";
import { taskStatus } from "../tasks/schema.ts";
import { mkdir, symlink } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { isoTime } from "../../kit/time.ts";
import { writeLastBackup } from "../../platform/last-backup.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { noteLastBackup } from "../backup/stored/store.ts";
import { formatExposition, joinFamilies, labelFamilies, type MetricFamily } from "./exposition.ts";
import { makeHistogram } from "./histogram.ts";
import { readInstanceMetrics } from "./instance-metrics.ts";
import { makeProcessMetrics } from "./process-metrics.ts";
import { makeRequestMetrics, requestKind } from "./request-metrics.ts";

describe("the text that Prometheus reads", () => {
  test("has each name once, with the values of all processes", () => {
    const up: MetricFamily = {
      name: "up",
      help: "Whether \\ it\nis up.",
      type: "gauge",
      samples: [{ labels: {}, value: 1 }],
    };
    const joined = joinFamilies([
      labelFamilies([up], { process: "web" }),
      labelFamilies([up], { process: 'a "b"\\\n' }),
    ]);
    expect(formatExposition(joined)).toBe(
      [
        "# HELP up Whether \\\\ it\\nis up.",
        "# TYPE up gauge",
        'up{process="web"} 1',
        'up{process="a \\"b\\"\\\\\\n"} 1',
        "",
      ].join("\n"),
    );
  });

  test("has buckets that include those below them", () => {
    const histogram = makeHistogram({
      name: "seconds",
      help: "Time.",
      labels: ["kind"],
      buckets: [0.5, 2],
    });
    for (const value of [0.25, 0.5, 1, 30]) histogram.observe(["page"], value);
    expect(formatExposition([histogram.family()])).toBe(
      [
        "# HELP seconds Time.",
        "# TYPE seconds histogram",
        'seconds_bucket{kind="page",le="0.5"} 2',
        'seconds_bucket{kind="page",le="2"} 3',
        'seconds_bucket{kind="page",le="+Inf"} 4',
        'seconds_sum{kind="page"} 31.75',
        'seconds_count{kind="page"} 4',
        "",
      ].join("\n"),
    );
  });
});

test.each([
  ["/", "page"],
  ["/projects/kiln-club/", "page"],
  ["/404.html", "page"],
  ["/apiary", "page"],
  ["/_astro/index.BxY.css", "file"],
  ["/media/2026/a.jpg", "file"],
  ["/api/health", "api"],
  ["/admin", "admin"],
  ["/admin/[redacted]", "admin"],
  ["/devconsole/stream/1", "console"],
  ["/_preview/1/about", "preview"],
  ["/account/", "account"],
])("a request for %s is one of kind %s", (path, kind) => {
  expect(requestKind(path)).toBe(kind);
});

test("whatever is requested, only a few series come of it, without any path", () => {
  const requests = makeRequestMetrics();
  for (let i = 0; i < 2000; i += 1) {
    requests.observe({ pathJson: JSON.stringify(`/x"${i}/\n`), status: 200 + (i % 800), ms: i });
  }
  const { samples } = requests.family();
  const labels = new Set(samples.map((sample) => JSON.stringify({ ...sample.labels, le: "" })));
  expect(labels.size).toBe(5 - 1);
  expect(formatExposition([requests.family()])).not.toContain('x\\"');
});

test("a process tells its memory, and how late its event loop was", async () => {
  const read = makeProcessMetrics();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const values = Object.fromEntries(
    read().map(({ name, samples }) => [name, samples[0]?.value ?? Number.NaN]),
  );
  expect(values["process_resident_memory_bytes"]).toBeGreaterThan(10_000_000);
  expect(values["process_cpu_seconds_total"]).toBeGreaterThan(0);
  expect(values["nodejs_eventloop_lag_max_seconds"]).toBeGreaterThanOrEqual(0);
  expect(Object.values(values).every(Number.isFinite)).toBe(true);
});

describe("the metrics of an instance", () => {
  const clock = fakeClock();
  let folder: TempFolder;
  let paths: InstancePaths;
  let store: TestDatabase;
  beforeEach(async () => {
    folder = await tempFolder();
    store = await makeTestDatabase();
    paths = { ...instancePaths(folder.path), database: store.file };
    await mkdir(`${paths.releases}/7`, { recursive: true });
  });
  afterEach(async () => {
    await store.cleanup();
    await folder.remove();
  });

  async function read(): Promise<Record<string, number>> {
    const { db } = store.database;
    const deps = {
      db,
      clock,
      paths,
      isSqlite: true,
      version: "1.2.3",
      values: {
        runs: runStatus.options,
        tasks: taskStatus.options,
        severities: severity.options,
      },
      countRunners: async () => 2,
    };
    const families = await readInstanceMetrics(deps);
    return Object.fromEntries(
      families.flatMap(({ name, samples }) =>
        samples.map(({ labels, value }) => [[name, ...Object.values(labels)].join(" "), value]),
      ),
    );
  }

  test("are zero, or missing where nothing has happened yet", async () => {
    const found = await read();
    expect(found).toMatchObject({
      "vitrine_info 1.2.3": 1,
      vitrine_metrics_errors: 0,
      "vitrine_runs published": 0,
      "vitrine_tasks queued": 0,
      "vitrine_findings error": 0,
      vitrine_queue_oldest_seconds: 0,
      vitrine_runners: 2,
      vitrine_rebuild_failed: 0,
    });
    expect(found).not.toHaveProperty("vitrine_release");
    expect(found).not.toHaveProperty("vitrine_last_backup_timestamp_seconds");
    expect(found["vitrine_disk_free_bytes"]).toBeGreaterThan(0);
    expect(found["vitrine_database_bytes"]).toBeGreaterThan(0);
  });

  test("tell the queue, the current release, the last rebuild, and the last backup", async () => {
    await symlink("releases/7", paths.current);
    await writeLastBackup(paths.data, isoTime(clock.now()));
    const db = store.database.db.withTables<{
      task: Record<string, unknown>;
      rebuild_request: Record<string, unknown>;
    }>();
    const task = { kind: "edit", title: "t", instruction: "i", actor: "a", updated_at: "" };
    for (const minutes of [1, 5]) {
      const createdAt = isoTime(clock.now() - minutes * 60_000);
      await db
        .insertInto("task")
        .values({ ...task, status: "queued", created_at: createdAt })
        .execute();
    }
    const times = { requested_at: "", last_requested_at: "" };
    for (const status of ["done", "failed"]) {
      await db
        .insertInto("rebuild_request")
        .values({ ...times, status, reason: "r" })
        .execute();
    }
    expect(await read()).toMatchObject({
      "vitrine_tasks queued": 2,
      vitrine_queue_oldest_seconds: 300,
      vitrine_release: 7,
      vitrine_rebuild_failed: 1,
      vitrine_last_backup_timestamp_seconds: Math.floor(clock.now() / 1000),
      vitrine_last_publish_timestamp_seconds: expect.any(Number),
    });
  });

  test("tell a backup that another node has made since", async () => {
    await writeLastBackup(paths.data, isoTime(clock.now() - 60_000));
    for (const at of [clock.now(), clock.now() - 120_000])
      await noteLastBackup(store.database.db, isoTime(at));
    const last = Math.floor(clock.now() / 1000);
    expect(await read()).toMatchObject({ vitrine_last_backup_timestamp_seconds: last });
  });

  test("name what can't be read by leaving it out", async () => {
    await store.database.close();
    expect(await read()).toMatchObject({
      vitrine_metrics_errors: 3,
      vitrine_disk_free_bytes: expect.any(Number),
    });
  });
});
