import { WorkerFailure, workerJob, type WorkerPool } from "../../../platform/worker-pool.ts";
import type { FileChange } from "../agent.ts";
import { wholeFileChange } from "./file-change.ts";
import { ToolRefusal } from "./refusal.ts";
import * as worker from "./text-worker.ts";

const file = new URL("./text-worker.ts", import.meta.url);
const jobs = {
  checkWrite: workerJob<typeof worker.checkWrite>(file, "checkWrite"),
  applyEdit: workerJob<typeof worker.applyEdit>(file, "applyEdit"),
  compareTexts: workerJob<typeof worker.compareTexts>(file, "compareTexts"),
  grepLines: workerJob<typeof worker.grepLines>(file, "grepLines"),
  matchPaths: workerJob<typeof worker.matchPaths>(file, "matchPaths"),
};

/** What a tool needs for work on whole texts. */
export interface TextWorkDependencies {
  workers: WorkerPool;
  readonly signal: AbortSignal;
}

/** A model can do with less at once; the run goes on. */
function asRefusal(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error;
  throw new ToolRefusal("too_large", `${error.message} Do it in smaller steps.`, { cause: error });
}

function accepted<Result extends object>(
  result: Result | worker.Refused,
): Exclude<Result, worker.Refused> {
  if ("refused" in result) throw new ToolRefusal(result.refused.reason, result.refused.message);
  return result as Exclude<Result, worker.Refused>;
}

/** Throws ToolRefusal where a text stands for more than it says, or takes too long to check. */
export async function checkWrite(
  { workers, signal }: TextWorkDependencies,
  input: worker.WriteInput,
): Promise<void> {
  accepted(await workers.run(jobs.checkWrite, input, { signal }).catch(asRefusal));
}

/** The text after an edit. Throws ToolRefusal for what can't be replaced. */
export async function applyEdit(
  { workers, signal }: TextWorkDependencies,
  input: worker.EditInput,
): Promise<string> {
  return accepted(await workers.run(jobs.applyEdit, input, { signal }).catch(asRefusal)).after;
}

/** What happened to a text file; counts alone where the texts are too large to compare. */
export async function compareTexts(
  { workers, signal }: TextWorkDependencies,
  input: worker.ChangeInput,
): Promise<FileChange> {
  try {
    return await workers.run(jobs.compareTexts, input, { signal });
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error;
    return wholeFileChange(input.path, input.before, input.after);
  }
}

/** A text of so many characters is searched at once: that takes less than to hand it over. */
const maxSearchedAtOnce = 32 * 1024;

/** The lines of a text that contain another, with their numbers: at most `maxMatches`. */
export async function grepLines(
  { workers, signal }: TextWorkDependencies,
  input: worker.GrepInput,
): Promise<[number, string][]> {
  if (input.text.length <= maxSearchedAtOnce) return worker.grepLines(input);
  return workers.run(jobs.grepLines, input, { signal }).catch(asRefusal);
}

/** The paths that fit a pattern of `*`, `**` and `?`. */
export function matchPaths(
  { workers, signal }: TextWorkDependencies,
  input: { paths: string[]; pattern: string },
): Promise<string[]> {
  return workers.run(jobs.matchPaths, input, { signal }).catch(asRefusal);
}
