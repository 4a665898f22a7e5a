import type { QaErrorCode } from "../errors.ts";
import type { EngineJob, EngineResult, Progress } from "./job.ts";

/** What the engine's process is told. */
export type ToEngine = { kind: "check"; job: EngineJob } | { kind: "count"; count: number | null };

/** What it says. */
export type FromEngine =
  | { kind: "progress"; progress: Progress }
  | { kind: "count" }
  | { kind: "done"; result: EngineResult }
  | { kind: "failed"; code: QaErrorCode; message: string; stack: string };
