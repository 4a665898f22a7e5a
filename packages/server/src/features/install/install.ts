import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { exists, removeTemporaryFiles, writeFileAtomic } from "../../platform/files.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { keyFiles } from "../../platform/secrets.ts";
import { isInstalled, withInstallerLock } from "./lock.ts";

/**
 * A step of an installation. It does only what is missing, so after a kill at any moment, all steps
 * can run again.
 */
export interface InstallStep {
  name: string;
  run(): Promise<void>;
}

export interface InstallRequest {
  paths: InstancePaths;
  steps: readonly InstallStep[];
  version: string;
  clock: Clock;
  log: Log;
  /** Gets the name of each step that starts. */
  onStep?(name: string): void;
}

export interface InstallResult {
  dir: string;
  steps: string[];
  installedAt: string;
}

function alreadyInstalled(paths: InstancePaths): AppError {
  return new AppError("already_exists", `Vitrine is already installed in ${paths.dir}.`);
}

/** Leaves folders with other content alone. */
async function assertOurs(paths: InstancePaths): Promise<void> {
  const isStarted = await exists(paths.data);
  if (!isStarted && (await exists(paths.content))) {
    throw new AppError(
      "already_exists",
      `${paths.content} exists, but isn't part of an unfinished installation. Move it away or choose another folder.`,
    );
  }
}

async function runSteps(request: InstallRequest): Promise<InstallResult> {
  const { paths, steps, version, clock, log } = request;
  // Checked while holding the lock: another installer may have just finished.
  if (await isInstalled(paths)) throw alreadyInstalled(paths);
  const keys = Object.values(keyFiles).map((file) => join(paths.keys, file));
  for (const file of [paths.configFile, paths.installLock, ...keys])
    await removeTemporaryFiles(file);
  for (const step of steps) {
    const startedAt = clock.monotonic();
    log.info({ step: step.name }, "install: step started");
    request.onStep?.(step.name);
    await step.run();
    const ms = Math.round(clock.monotonic() - startedAt);
    log.info({ step: step.name, ms }, "install: step is done");
  }
  const installedAt = isoTime(clock.now());
  await writeFileAtomic(paths.installLock, `${JSON.stringify({ version, installedAt })}\n`);
  return { dir: paths.dir, steps: steps.map((step) => step.name), installedAt };
}

/**
 * Installs an instance: every step in order, then the marker `data/install.lock`. After a crash,
 * the next call does what is missing. Throws `already_exists` if an instance or other content
 * exists and `locked` if another installer is running; neither changes anything.
 */
export async function install(request: InstallRequest): Promise<InstallResult> {
  const { paths } = request;
  if (await isInstalled(paths)) throw alreadyInstalled(paths);
  await assertOurs(paths);
  await mkdir(paths.data, { recursive: true });
  return withInstallerLock(paths, () => runSteps(request));
}
