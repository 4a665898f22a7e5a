import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { descriptorMemory, processTreeOf } from "./tree-memory.ts";

/** Starts one process from its main thread and one from a worker, and prints the ID of each. */
const parent = `
  const { spawn } = require("node:child_process");
  const { Worker } = require("node:worker_threads");
  const start = 'require("node:child_process").spawn("sleep", ["1000"]).pid';
  console.log(eval(start));
  new Worker("require('node:worker_threads').parentPort.postMessage(" + start + "); setInterval(() => {}, 1000)", { eval: true })
    .on("message", (pid) => console.log(pid));`;

test.each([
  ["the lists of children", undefined],
  ["all processes", false],
])("finds what every thread of a process has started, in %s", async (_where, isListed) => {
  // A shell between them, so that the tree has several levels.
  const shell = spawn("/bin/sh", ["-c", '"$@"; true', "sh", process.execPath, "-e", parent]);
  let text = "";
  while (text.split("\n").length < 3) text += String((await once(shell.stdout, "data"))[0]);
  const started = text.trim().split("\n").map(Number);
  const tree = processTreeOf(shell.pid ?? 0, isListed);
  const ids = tree.map(({ id }) => id);
  try {
    expect(ids[0]).toBe(shell.pid);
    expect(ids).toHaveLength(4);
    expect(ids.slice(2).toSorted()).toEqual(started.toSorted());
    const [first, node, ...leaves] = tree.map(({ threads }) => threads);
    expect([first, ...leaves]).toEqual([1, 1, 1]);
    expect(node).toBeGreaterThan(1 + Math.min(availableParallelism(), 2));
  } finally {
    for (const id of ids.toReversed()) process.kill(id, "SIGKILL");
  }
});

test("a process that has ended has no descendants, threads, or descriptors", async () => {
  const child = spawn("/bin/true");
  await once(child, "exit");
  const id = child.pid ?? 0;
  expect(processTreeOf(id)).toEqual([{ id, threads: 0 }]);
  expect(descriptorMemory([id])).toEqual({ descriptors: 0, sockets: 0, bytes: 0 });
});
