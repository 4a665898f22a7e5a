import { expect, it } from "vitest";

import {
  type RecordedSteps,
  recordProgress,
  type Progress,
  parseRecordedSteps,
  stepsOf,
} from "./steps.ts";

const word = (step: Progress["step"], done = 0, total: number | null = null): Progress => ({
  step,
  done,
  total,
  at: null,
  findings: 0,
});

function states(...words: Progress[]): string {
  let heard: RecordedSteps = {};
  for (const one of words) heard = recordProgress(heard, one);
  return stepsOf(heard)
    .map(({ state }) => state[0])
    .join("");
}

it("counts the steps before the running one as done", () => {
  expect(states()).toBe("rwwwww");
  expect(states(word("connecting"))).toBe("rwwwww");
  expect(states(word("checking", 3, 14))).toBe("dddrww");
  expect(states(word("writing"))).toBe("dddddr");
});

it("lets pages and external links run side by side", () => {
  expect(states(word("crawling", 4, 9), word("external", 1, 5))).toBe("drrwww");
  expect(states(word("external", 1, 5), word("crawling", 9, 9))).toBe("drrwww");
  expect(states(word("crawling", 9, 9), word("external", 1, 5))).toBe("ddrwww");
});

it("returns to a step that is reported again", () => {
  expect(states(word("checking", 2, 9), word("external", 4, 5))).toBe("ddrrww");
});

it("shows the progress of each step", () => {
  const counted = (heard: RecordedSteps) => stepsOf(heard).map((step) => step.counted);
  const crawling = recordProgress({}, word("crawling", 1200, 3000));
  expect(counted(crawling)).toEqual([null, "1,200 of 3,000", null, null, null, null]);
  // What is over does not say that it came half the way.
  const browsing = recordProgress(
    recordProgress(crawling, word("checking", 9, 9)),
    word("browser", 0, 9),
  );
  expect(counted(browsing)).toEqual([null, null, null, "9 of 9", "0 of 9", null]);
});

it("starts over if the stored state can't be read", () => {
  expect(parseRecordedSteps(null)).toEqual({});
  expect(parseRecordedSteps("{nonsense")).toEqual({});
  expect(parseRecordedSteps('{"now":"crawling"}')).toEqual({ now: "crawling" });
});
