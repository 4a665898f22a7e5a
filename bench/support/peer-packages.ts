import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";

/** The folder of what the product is compared with. */
export const peerFolder = join(platformRoot, "bench/peers");

/**
 * Installs what is compared next to its lockfile, because it isn't a dependency of the product, unless
 * `file` of it is there already; false if that fails.
 */
export function ensurePeers(file: string): boolean {
  if (existsSync(join(peerFolder, file))) return true;
  console.error("Installing packages into bench/peers/ …");
  const args = ["ci", "--prefix", peerFolder, "--ignore-scripts", "--no-fund", "--no-audit"];
  return spawnSync("npm", args, { cwd: peerFolder, stdio: ["ignore", 2, 2] }).status === 0;
}
