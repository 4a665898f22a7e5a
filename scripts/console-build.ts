import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary, platformRoot } from "../packages/server/src/platform/paths.ts";

const output = join(platformRoot, "packages/console/dist");
const inputs = ["packages/console/src", "packages/console/vite.config.ts", "package-lock.json"];

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return Math.max(
    0,
    ...entries.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

function isFresh(): boolean {
  if (!existsSync(output)) return false;
  const built = readdirSync(output).map((name) => statSync(join(output, name)).mtimeMs);
  const sources = Math.max(...inputs.map((input) => newest(join(platformRoot, input))));
  return built.length > 0 && Math.max(...built) >= sources;
}

/**
 * Builds the admin pages and the overlay into packages/console/dist if they are missing or older
 * than their sources. Throws if the build fails.
 */
export function ensureConsole(): void {
  if (!isFresh()) buildConsole();
}

/** Builds the admin pages and the overlay into packages/console/dist. Throws if the build fails. */
export function buildConsole(): void {
  const vite = join(platformRoot, "node_modules/vite/bin/vite.js");
  if (!existsSync(vite)) {
    if (existsSync(output)) return;
    throw new Error(
      "packages/console/dist is missing, and so is Vite to build it: run `npm ci --include=dev`.",
    );
  }
  console.error("Building the console …");
  const args = [vite, "build", "--config", "packages/console/vite.config.ts", "--logLevel", "warn"];
  const build = spawnSync(nodeBinary, args, { cwd: platformRoot, stdio: ["ignore", 2, 2] });
  if (build.status !== 0) throw new Error("The console does not build.");
}
