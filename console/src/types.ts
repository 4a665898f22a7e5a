import type { RunEventData } from "../../src/features/runs/schema.ts";

export type {
  FileChange as FileCount,
  Run,
  RunEvent,
  RunMode as Mode,
  RunStatus,
} from "../../src/features/runs/schema.ts";

/** What a run has cost so far. */
export type Usage = RunEventData["usage"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  perPage: number;
}
