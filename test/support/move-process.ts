/**
 * For tests that kill moves to another database: `move` runs the command and kills itself at a
 * step, `serve` is the supervisor with a process that writes rows.
 *
 *   node move-process.ts serve DIR WRITER
 *   node move-process.ts move DIR URL|sqlite STEP
 */
import { moveDatabase } from "../../packages/server/src/features/database-move/move.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { chooseDatabase } from "../../packages/server/src/platform/active-database.ts";
import { acquireLock } from "../../packages/server/src/platform/lock.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { instancePaths, nodeBinary } from "../../packages/server/src/platform/paths.ts";
import { superviseInstance } from "../../packages/server/src/processes/supervise-instance.ts";
import { killSelf } from "./kill-self.ts";

const [, , mode = "", dir = "", to = "", step = ""] = process.argv;
const paths = instancePaths(dir);
const env = { PATH: process.env["PATH"] };

async function move(): Promise<void> {
  const { databaseUrl } = chooseDatabase(paths, null);
  const deps = {
    config: { paths, databaseUrl },
    given: null,
    clock: systemClock,
    signal: new AbortController().signal,
    onProgress() {},
    onStep(name: string) {
      if (name === step) killSelf();
    },
  };
  await moveDatabase(deps, { url: to === "sqlite" ? null : to });
  console.log("moved");
}

async function serve(writer: string): Promise<void> {
  const lock = acquireLock(paths.supervisorLock);
  const supervision = superviseInstance({
    config: { dir, paths },
    env,
    log: createLog({ level: "silent", name: "test" }),
    front: null,
    sites: null,
    servers: [{ name: "writer", command: nodeBinary, args: [writer, dir], env }],
    onReady: () => console.log("ready"),
  });
  process.on("SIGTERM", supervision.stop);
  await supervision.ended;
  lock?.release();
}

await (mode === "serve" ? serve(to) : move());
