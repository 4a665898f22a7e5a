import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { nodeBinary } from "../../packages/server/src/platform/paths.ts";

/** Marks a process that already has its own mount namespace. */
const marker = "FAULTS_NAMESPACE";

/**
 * Runs this program again in a mount namespace of its own, where that is allowed, and gives its exit
 * code; null when it is in one, or can't be. A sandbox that somebody else starts would else hold a copy of
 * our mounts, and what was cut off would not be let go of. Nothing stays mounted when the program is killed.
 */
export function runInNamespace(env: NodeJS.ProcessEnv): number | null {
  if (userInfo().uid !== 0 || env[marker] === "1") return null;
  const unshare = ["--mount", "--propagation", "private"];
  if (spawnSync("unshare", [...unshare, "true"]).status !== 0) return null;
  const args = [...unshare, nodeBinary, ...process.execArgv, ...process.argv.slice(1)];
  const run = spawnSync("unshare", args, { stdio: "inherit", env: { ...env, [marker]: "1" } });
  return run.status ?? 1;
}
