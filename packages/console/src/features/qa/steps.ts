import type { QaRun } from "../../api/types.ts";

export type Progress = NonNullable<QaRun["progress"]>;
export type StepName = Progress["step"];

export interface QaRunStep {
  name: StepName;
  label: string;
  state: "waiting" | "running" | "done";
  /** "9 of 14"; null if nothing is counted. */
  counted: string | null;
}

const labels: Readonly<Record<StepName, string>> = {
  connecting: "Open the site",
  crawling: "Follow pages and links",
  external: "Check links to other sites",
  checking: "Check what was found",
  browser: "Check pages in a browser",
  writing: "Save the report",
};

/** The order in which steps start; pages and their links are checked in parallel. */
const ranks: Readonly<Record<StepName, number>> = {
  connecting: 0,
  crawling: 1,
  external: 1,
  checking: 2,
  browser: 3,
  writing: 4,
};
const names = Object.keys(labels) as StepName[];

/** The latest progress of each step. */
export type RecordedSteps = Partial<Record<StepName, Pick<Progress, "done" | "total">>> & {
  now?: StepName;
};

/** Adds a progress report. */
export function recordProgress(
  recorded: RecordedSteps,
  { step, done, total }: Progress,
): RecordedSteps {
  return { ...recorded, [step]: { done, total }, now: step };
}

function countedOf(known: Pick<Progress, "done" | "total"> | undefined): string | null {
  if (!known || (known.done === 0 && known.total === null)) return null;
  const done = known.done.toLocaleString("en");
  return known.total === null ? done : `${done} of ${known.total.toLocaleString("en")}`;
}

/** All steps of a run with their states; those before the current one are done. */
export function stepsOf(recorded: RecordedSteps): QaRunStep[] {
  const reached = Math.max(0, ...names.filter((name) => recorded[name]).map((name) => ranks[name]));
  return names.map((name) => {
    const known = recorded[name];
    const whole = known !== undefined && known.total !== null && known.done >= known.total;
    // Before the first report, the site is being contacted.
    const isNow = (recorded.now ?? "connecting") === name;
    const beside = ranks[name] === reached && known !== undefined && !whole;
    const over = ranks[name] < reached || (ranks[name] === reached && known !== undefined);
    const state = isNow || beside ? "running" : over ? "done" : "waiting";
    // The last report of a completed step may have been missed.
    const partly = state === "done" && !whole;
    return { name, label: labels[name], state, counted: partly ? null : countedOf(known) };
  });
}

/** The stored progress of a run; empty if it is unreadable. */
export function parseRecordedSteps(text: string | null): RecordedSteps {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as RecordedSteps) : {};
  } catch {
    return {};
  }
}
