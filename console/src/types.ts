import type {
  Attachment,
  PickedElement,
  RunEventData,
  RunMode as Mode,
} from "../../src/features/runs/schema.ts";

export type { Blame, Estimate } from "../../src/features/runs/reading/schema.ts";
export type {
  Attachment,
  BuildReport,
  CheckFinding,
  FileChange as FileCount,
  FileDiff,
  PickedElement,
  Run,
  RunEvent,
  RunMessage,
  RunMode as Mode,
  RunStatus,
} from "../../src/features/runs/schema.ts";

/** What goes along with an instruction or a message. */
export interface Along {
  elements?: readonly PickedElement[];
  attachments?: readonly Attachment[];
}

export interface NewRun extends Along {
  instruction: string;
  pageUrl: string;
  mode: Mode;
  /** The run whose work it builds on. */
  continues?: string;
}

/** What a run has cost so far. */
export type Usage = RunEventData["usage"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  perPage: number;
}
