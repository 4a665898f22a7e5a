import type { QaRun } from "../../api/types.ts";

export type Progress = NonNullable<QaRun["progress"]>;
export type StepName = Progress["step"];

export interface QaRunStep {
  name: StepName;
  label: string;
  state: "waiting" | "running" | "done";
  /** "9 of 14"; null where nothing is counted. */
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

/** In which order they begin; pages and the links out of them are followed at once. */
const ranks: Readonly<Record<StepName, number>> = {
  connecting: 0,
  crawling: 1,
  external: 1,
  checking: 2,
  browser: 3,
  writing: 4,
};
const names = Object.keys(labels) as StepName[];

/** How far each step came, by the latest word on it. */
export type RecordedSteps = Partial<Record<StepName, Pick<Progress, "done" | "total">>> & {
  now?: StepName;
};

/** What was known with a further word. */
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

/** All steps of a pass with how each stands; those before the one that runs are over. */
export function stepsOf(recorded: RecordedSteps): QaRunStep[] {
  const reached = Math.max(0, ...names.filter((name) => recorded[name]).map((name) => ranks[name]));
  return names.map((name) => {
    const known = recorded[name];
    const whole = known !== undefined && known.total !== null && known.done >= known.total;
    // Before a word is heard, the site is being reached.
    const isNow = (recorded.now ?? "connecting") === name;
    const beside = ranks[name] === reached && known !== undefined && !whole;
    const over = ranks[name] < reached || (ranks[name] === reached && known !== undefined);
    const state = isNow || beside ? "running" : over ? "done" : "waiting";
    // The last word on a step that is over may not have been heard.
    const partly = state === "done" && !whole;
    return { name, label: labels[name], state, counted: partly ? null : countedOf(known) };
  });
}

/** What was kept of a pass; what can't be read is nothing. */
export function parseRecordedSteps(text: string | null): RecordedSteps {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as RecordedSteps) : {};
  } catch {
    return {};
  }
}
