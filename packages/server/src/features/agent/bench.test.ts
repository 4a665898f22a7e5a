import { describe, expect, test } from "vitest";
import { quickChecker } from "../../../../../bench/agent/check-site.ts";
import { runScripted, tasks } from "../../../../../bench/agent/evaluate.ts";
import { kinds } from "../../../../../bench/agent/scripted.ts";
import { original } from "../../../../../bench/agent/workspace.ts";

const nothing = {
  summary: "",
  message: "",
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  currency: null,
  cost: null,
  steps: 0,
};

function taskAt(at: number) {
  const task = tasks[at];
  if (task === undefined) throw new Error(`there is no task ${at}`);
  return task;
}

describe("the evaluation in bench/agent", () => {
  test("has at least 30 tasks, each with a unique name", () => {
    expect(tasks.length).toBeGreaterThanOrEqual(30);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });

  test.each(tasks)("$id: its checker notices that nothing was done", (task) => {
    const untouched = { read: (path: string) => original(path) ?? "", changed: [], reply: nothing };
    expect(task.check(untouched).filter((fault) => fault !== false)).not.toEqual([]);
  });

  test.each(["new-section", "page-picture", "ask-where"])(
    "%s, with each kind of model",
    async (id) => {
      const at = tasks.findIndex((task) => task.id === id);
      const task = taskAt(at);
      for (const kind of kinds) {
        const result = await runScripted(task, kind, at, quickChecker());
        expect(result).toMatchObject({ passed: true, harm: [] });
        expect(result.steps).toBeGreaterThan(0);
      }
    },
  );

  test("a model that does a different task hasn't solved this one", async () => {
    const mistaken = { ...taskAt(0), solution: taskAt(1).solution };
    const result = await runScripted(mistaken, "clean", 0, quickChecker());
    expect(result).toMatchObject({ passed: false, solved: false });
    expect(result.faults.join()).toContain("services.json changed");
  });
});
