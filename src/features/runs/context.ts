import { AppError } from "../../kit/errors.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { HousekeepingOptions } from "./housekeeping.ts";
import type { PublishingOptions } from "./publishing.ts";
import type { Registry } from "./runners/registry.ts";
import { findRun, type RunRow } from "./store.ts";
import type { Worker, WorkerOptions } from "./worker.ts";

export type RunsOptions = Omit<WorkerOptions, "publish" | "tidy" | "dropArtifact"> &
  PublishingOptions &
  HousekeepingOptions & {
    /** Who of the runners of this instance this is. */
    runnerId: string;
    registry: Pick<Registry, "isGone">;
  };

/** What all that can be done with runs goes by. */
export interface RunsContext extends RunsOptions {
  worker: Worker;
}

/** The run; throws `not_found` where there is none. */
export async function need({ db }: Pick<RunsOptions, "db">, runId: string): Promise<RunRow> {
  const row = ulidPattern.test(runId) ? await findRun(db, runId) : null;
  if (!row) throw new AppError("not_found", "There is no such run.");
  return row;
}
