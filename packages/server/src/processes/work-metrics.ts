import { severity } from "../features/qa/schema.ts";
import { runStatus } from "../features/runs/schema.ts";
import { taskStatus } from "../features/tasks/schema.ts";
import type { MetricFamily } from "../features/metrics/exposition.ts";
import { type Histogram, makeHistogram } from "../features/metrics/histogram.ts";
import { readInstanceMetrics } from "../features/metrics/instance-metrics.ts";
import type { ImageWorkers } from "../features/media/image/workers.ts";
import type { VideoConverter } from "../features/media/video/video-converter.ts";
import { BuildFailed, type SiteBuilder } from "../features/release/builder/build.ts";
import { GaveWay } from "../features/release/builder/build-turns.ts";
import { countAliveRunners } from "../features/runs/runners/store.ts";
import type { Instance } from "./instance.ts";

interface Work {
  kind: string;
  signal: AbortSignal | undefined;
  /** What an error means that isn't the program's fault; undefined for others. */
  outcomeOf(error: unknown): string | undefined;
}

/** Observes how long `task` takes, and how it ends: done, stopped, an own outcome, or error. */
async function observe<T>(
  histogram: Histogram,
  { kind, signal, outcomeOf }: Work,
  task: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const end = (outcome: string) =>
    histogram.observe([kind, outcome], (performance.now() - startedAt) / 1000);
  try {
    const result = await task();
    end("done");
    return result;
  } catch (error) {
    end(signal?.aborted ? "stopped" : (outcomeOf(error) ?? "error"));
    throw error;
  }
}

/** A builder whose builds are counted. */
export function observeBuilds(builder: SiteBuilder): {
  builder: SiteBuilder;
  family(): MetricFamily;
} {
  const histogram = makeHistogram({
    name: "vitrine_build_duration_seconds",
    help: "Time of builds with their wait, by whether somebody waits for them and by how they ended.",
    labels: ["kind", "outcome"],
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  });
  const outcomeOf = (error: unknown) => {
    if (error instanceof BuildFailed) return "failed";
    return error instanceof GaveWay ? "stopped" : undefined;
  };
  return {
    builder: {
      ...builder,
      build(job) {
        const kind = job.isInBackground ? "background" : "awaited";
        const work = { kind, signal: job.signal, outcomeOf };
        return observe(histogram, work, () => builder.build(job));
      },
    },
    family: () => histogram.family(),
  };
}

/** Counts conversions of images and videos. */
export interface MediaObserver {
  images(workers: ImageWorkers): ImageWorkers;
  videos(converter: VideoConverter): VideoConverter;
  family(): MetricFamily;
}

export function makeMediaObserver(): MediaObserver {
  const histogram = makeHistogram({
    name: "vitrine_media_conversion_duration_seconds",
    help: "Time to convert uploads with their wait, by kind and by how they ended.",
    labels: ["kind", "outcome"],
    buckets: [0.25, 1, 2.5, 5, 10, 30, 60, 300],
  });
  const refusals = new Set(["unsupported_media_type", "bad_media", "too_large"]);
  const outcomeOf = (error: unknown) =>
    refusals.has(String((error as { code?: unknown }).code)) ? "refused" : undefined;
  return {
    images: (workers) => ({
      ...workers,
      convert(job) {
        const work = { kind: "image", signal: job.signal, outcomeOf };
        return observe(histogram, work, () => workers.convert(job));
      },
    }),
    videos: (converter) => ({
      get state() {
        return converter.state;
      },
      convert(job) {
        const work = { kind: "video", signal: job.signal, outcomeOf };
        return observe(histogram, work, () => converter.convert(job));
      },
      close: () => converter.close(),
    }),
    family: () => histogram.family(),
  };
}

/** Reads what is the same for all processes of this instance. */
export function makeInstanceMetricsReader(instance: Instance): () => Promise<MetricFamily[]> {
  const { database, clock, config, version } = instance;
  const { db, dialect } = database;
  const isSqlite = dialect === "sqlite";
  const countRunners = () => countAliveRunners(db);
  const values = {
    runs: runStatus.options,
    tasks: taskStatus.options,
    severities: severity.options,
  };
  const deps = { db, clock, paths: config.paths, isSqlite, version, values, countRunners };
  return () => readInstanceMetrics(deps);
}
