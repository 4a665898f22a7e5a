import type { QaErrorCode } from "../errors.ts";
import type { EngineJob, EngineResult, Progress } from "./job.ts";

/** Messages to the engine's process. */
export type ToEngine = { kind: "check"; job: EngineJob } | { kind: "count"; count: number | null };

/** Messages from the engine's process. */
export type FromEngine =
  | { kind: "progress"; progress: Progress }
  | { kind: "count" }
  | { kind: "done"; result: EngineResult }
  | { kind: "failed"; code: QaErrorCode; message: string; stack: string };
