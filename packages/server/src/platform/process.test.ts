import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { killTree, processTree } from "./process-tree.ts";
import { run } from "./process.ts";
import { eventually } from "../../../../test/support/eventually.ts";

/** Running, that is: a killed orphan may wait as a zombie for its new parent to notice. */
function alive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

test("output, input and exit code come back; a failing program is a result", async () => {
  const result = await run("/bin/sh", ["-c", "cat; echo oops >&2; exit 3"], { input: "hello" });
  expect(result).toEqual({ stdout: "hello", stderr: "oops\n", exitCode: 3 });
});

test("a child sees only the environment it is given", async () => {
  const { stdout } = await run("/usr/bin/env", [], { env: { ONLY: "this" } });
  expect(stdout).toBe("ONLY=this\n");
});

test("a program that isn't there is told by its name", async () => {
  await expect(run("no-such-program", [])).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("no-such-program") as string,
  });
});

test("time and output are bounded", async () => {
  await expect(run("/bin/sleep", ["60"], { timeoutMs: 20 })).rejects.toThrow("too long");
  await expect(run("/usr/bin/yes", [], { maxBytes: 1000 })).rejects.toThrow("too much");
});

test("an abort ends the program with all it started", async () => {
  const stop = new AbortController();
  const marker = `${60_000 + (process.pid % 1000)}.25`;
  const running = run("/bin/sh", ["-c", `sleep ${marker} & wait`], { signal: stop.signal });
  const sleepers = async () => (await run("/usr/bin/pgrep", ["-f", `^sleep ${marker}`])).stdout;
  await eventually(async () => expect(await sleepers()).not.toBe(""));
  stop.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  await eventually(async () => expect(await sleepers()).toBe(""));
});

test("a tree is killed to its last grandchild, its own process groups included", async () => {
  const child = spawn("/bin/sh", ["-c", "setsid sleep 60 & setsid sleep 60 & wait"]);
  const root = child.pid ?? 0;
  const tree = await eventually(async () => {
    const members = processTree(root);
    expect(members.length).toBeGreaterThanOrEqual(3);
    return members;
  });
  const gone = new Promise((resolve) => child.once("close", resolve));
  killTree(root);
  await gone;
  await eventually(() => expect(tree.filter(alive)).toEqual([]));
});
