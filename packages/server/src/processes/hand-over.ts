import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { newerProgram, type Program } from "../features/upgrade/programs.ts";
import { type InstancePaths, platformRoot } from "../platform/paths.ts";
import { programVersion } from "../platform/version.ts";

/** How often to look whether another process has switched, in ms. */
const pollMs = 200;

/** Commands that one version has another run: they are that version's own. */
const ownCommands = new Set(["upgrade-trial", "upgrade-finish"]);

/** Commands that serve an instance. */
const servingCommands = new Set(["start", "quickstart", "web", "runner"]);

/** The program in `programs` that is newer than this one; null if this one should run. */
export function findNewerProgram(paths: InstancePaths): Program | null {
  return newerProgram(paths, { dir: platformRoot, version: programVersion() });
}

/** Resolves an interrupted move to another database; before a start, waits for one that switches. */
async function resolveInterruptedMove(paths: InstancePaths, isServing: boolean): Promise<void> {
  // Loading the rest takes time, and there rarely is one.
  if (!existsSync(join(paths.databaseMove, "state.json"))) return;
  const { isBeingMoved } = await import("../features/database-move/state.ts");
  if (isServing) while (isBeingMoved(paths)) await delay(pollMs);
  const { resolveMove } = await import("../features/database-move/resolve.ts");
  try {
    const resolved = await resolveMove(paths);
    if (resolved !== null)
      console.error(`The move to another database was interrupted: ${resolved}.`);
  } catch (error) {
    // The command says what is wrong with its database.
    console.error(`The move to another database can't be resolved: ${(error as Error).message}`);
  }
}

/** Resolves an interrupted upgrade, and waits while another process switches. */
async function resolveInterrupted(paths: InstancePaths): Promise<void> {
  if (!existsSync(paths.upgrade)) return;
  const { isBeingSwitched, resolveUpgrade } = await import("../features/upgrade/commit.ts");
  while (await isBeingSwitched(paths)) await delay(pollMs);
  await resolveUpgrade(paths, Date.now());
}

/**
 * Continues as the newer program that upgrades have put beside this one, if there is one: then this
 * call doesn't return. Before a start, resolves an interrupted upgrade, which decides which program
 * that is.
 */
export async function handOver(
  paths: InstancePaths,
  args: readonly string[],
  { isStart }: { isStart: boolean },
): Promise<void> {
  if (args.some((argument) => ownCommands.has(argument))) return;
  if (isStart) await resolveInterrupted(paths);
  const program = findNewerProgram(paths);
  const isServing = args.some((argument) => servingCommands.has(argument));
  if (program === null) await resolveInterruptedMove(paths, isServing);
  if (program === null || process.execve === undefined) return;
  process.execve(program.command, [program.command, ...args], { ...process.env });
}
