/**
 * An instance with small fake programs, for tests that kill upgrades: `upgrade` runs the command,
 * `serve` the supervisor with a process that writes rows, `both` runs both in one process.
 *
 *   node upgrade-process.ts upgrade|serve|both DIR FOLDER
 */
import { writeFile } from "node:fs/promises";
import { finishUpgrade } from "../../packages/server/src/features/upgrade/commit.ts";
import { findSource } from "../../packages/server/src/features/upgrade/sources.ts";
import { upgradeInstance } from "../../packages/server/src/features/upgrade/upgrade.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { acquireLock } from "../../packages/server/src/platform/lock.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { instancePaths, nodeBinary } from "../../packages/server/src/platform/paths.ts";
import { superviseInstance } from "../../packages/server/src/processes/supervise-instance.ts";
import { newVersion, oldVersion, writerScript } from "./upgrade-programs.ts";

const [, , mode = "", dir = "", folder = ""] = process.argv;
const paths = instancePaths(dir);
const config = { dir, paths, databaseUrl: null };
const env = { PATH: process.env["PATH"] };
const { signal } = new AbortController();

async function upgrade(): Promise<string> {
  const source = await findSource({ root: dir, from: folder, paths, env, signal });
  const state = await upgradeInstance(
    {
      config,
      own: { version: oldVersion, command: "" },
      clock: systemClock,
      env,
      signal,
      source,
      backUp: (file) => writeFile(file, "backup"),
      onProgress() {},
    },
    newVersion,
    { to: null, withoutTrial: false },
  );
  return state.phase;
}

async function serve(): Promise<void> {
  const lock = acquireLock(paths.supervisorLock);
  const supervision = superviseInstance({
    config,
    env,
    log: createLog({ level: "silent", name: "test" }),
    front: null,
    sites: null,
    servers: [{ name: "writer", command: nodeBinary, args: ["-e", writerScript, dir], env }],
    onReady: () => console.log("ready"),
  });
  process.on("SIGTERM", supervision.stop);
  const { isSwitched } = await supervision.ended;
  // The supervisor of the new program would do this as soon as it starts.
  if (isSwitched) await finishUpgrade(paths, systemClock.now());
  lock?.release();
}

if (mode === "serve") await serve();
else if (mode === "upgrade") console.log(await upgrade());
else {
  const serving = serve();
  console.log(await upgrade());
  process.kill(process.pid, "SIGTERM");
  await serving;
}
