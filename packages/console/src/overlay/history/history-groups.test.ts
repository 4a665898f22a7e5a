import { expect, test } from "vitest";

import type { Run } from "../../api/types.ts";
import { groupRuns } from "./history-groups.ts";

function run(id: string, from?: string): Run {
  const origin = from === undefined ? null : { runId: from, kind: "continue" };
  return { id, origin } as unknown as Run;
}

test("runs that continue each other are one change, newest first", () => {
  const groups = groupRuns([run("e", "d"), run("d", "b"), run("c"), run("b"), run("a")]);
  expect(groups.map((change) => [change.run.id, change.earlier.map(({ id }) => id)])).toEqual([
    ["e", ["d", "b"]],
    ["c", []],
    ["a", []],
  ]);
});

test("a run whose origin is on a later page, or in a loop, ends the chain", () => {
  expect(groupRuns([run("b", "gone")])[0]?.earlier).toEqual([]);
  expect(groupRuns([run("c", "b"), run("b", "a"), run("a", "b")])[0]?.earlier).toHaveLength(2);
});
