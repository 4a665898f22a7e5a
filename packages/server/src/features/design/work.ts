import { AppError } from "../../kit/errors.ts";
import type { SiteContext } from "../agent/agent.ts";
import type { EditorOptions } from "../agent/model.ts";
import type { ModelChoice } from "../agent/model-choice.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ProjectRecord } from "../projects/schema.ts";
import { findProject } from "../projects/store.ts";
import type { DesignLedger } from "./ask-model.ts";
import type { DesignInput } from "./outline.ts";
import type { ImageReader } from "./images.ts";
import type { DesignProgress } from "./schema.ts";

/** Dependencies of the drafter and the Web Designer. */
export interface DesignDependencies {
  db: Db;
  /** The selected model; null without one. */
  choice(): Promise<ModelChoice | null>;
  ledger: DesignLedger;
  images: ImageReader;
  /** The owner's sources for this agent, in order. */
  sources(agent: "drafter" | "designer"): Promise<SiteContext["sources"]>;
  /** The site's voice: brand/voice.md, or empty. */
  voice(): Promise<string>;
  /** For tests. */
  model?: Pick<EditorOptions, "fetch" | "timing">;
  /** Time limit of one request, ms; defaults to 170 s. */
  limitMs?: number;
}

export interface DesignCall {
  /** Aborted when the client no longer waits. */
  signal: AbortSignal;
  onProgress(progress: DesignProgress): void;
}

const maxMs = 170_000;

/** Runs with the caller's signal and a time limit. Throws `upstream_failed` when the time is up. */
export async function withTimeout<T>(
  { limitMs = maxMs }: Pick<DesignDependencies, "limitMs">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    const seconds = Math.round(limitMs / 1000);
    limit.abort(
      new AppError("upstream_failed", `The model did not finish within ${seconds} seconds.`, {
        details: { limit: "time" },
      }),
    );
  }, limitMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** The stored record, if one is named. Throws `not_found`. */
export async function presentRecord(db: Db, id: number | undefined): Promise<ProjectRecord | null> {
  if (id === undefined) return null;
  const project = await findProject(db, { id });
  if (!project) throw new AppError("not_found", "This project doesn't exist.");
  return project;
}

/**
 * Everything the owner has said about the project; what occurs in it isn't a claim of the model.
 */
export function ownerTexts({
  name,
  brief,
  category,
  kind,
  present,
  images,
}: DesignInput): string[] {
  const own = present === null ? [] : [presentTexts(present)];
  return [brief, name, category ?? "", kind ?? "", ...own, ...images.map(({ alt }) => alt)];
}

function presentTexts(present: ProjectRecord): string {
  const { skills, metrics, gallery } = present;
  return [
    present.name,
    present.summary,
    present.lede,
    present.body,
    present.kind,
    present.period,
    present.role,
    present.brief,
    ...present.categories,
    ...present.stack,
    ...skills.map(({ group, items }) => `${group}: ${items.join(", ")}`),
    ...metrics.map(({ value, label, note = "" }) => `${value} ${label}. ${note}`),
    ...gallery.flatMap(({ caption, alt = "" }) => [caption, alt]),
  ].join("\n");
}
