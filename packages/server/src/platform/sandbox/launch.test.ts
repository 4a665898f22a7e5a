import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isRoot } from "../../../../../test/support/publish/machine.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";
import { launch } from "./launch.ts";

const rounds = 5;

/** How many processes sleep for so long. */
async function sleepersOf(seconds: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
  return (await Promise.all(lines)).filter((line) => line === `/sleep\0${seconds}\0`).length;
}

test.each(isRoot ? [null, 60_999] : [null])(
  "what ends is gone with all it started, as user %s",
  async (uid) => {
    const seconds = 100_000 + process.pid;
    const start = `/sleep ${seconds} <&- >&- 2>&- 3>&- &`;
    const command = bubblewrapCommand({
      program: ["/sh", "-c", `i=0; while [ $i -lt 100 ]; do ${start} i=$((i+1)); done`],
      bindings: [
        { from: "/bin/sh", to: "/sh" },
        { from: "/bin/sleep", to: "/sleep" },
      ],
      scratch: [],
      environment: {},
      bounds: { processes: 200, fileBytes: 2 ** 20, dataBytes: 2 ** 30, cpuSeconds: 60 },
      uid,
    });
    for (let round = 0; round < rounds; round += 1) {
      const sandboxed = await launch(command, { contained: "bubblewrap", cwd: "/", env: {} });
      for (const stream of sandboxed.output) stream.resume();
      expect(await sandboxed.exited).toEqual({ code: 0, signal: null });
      expect(await sleepersOf(seconds)).toBe(0);
      await sandboxed.outputClosed;
    }
  },
);
