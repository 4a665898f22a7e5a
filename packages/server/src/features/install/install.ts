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
 * One part of an installation. It does what is still missing and leaves the rest: after a kill at
 * any moment the whole list runs again.
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
}

export interface InstallResult {
  dir: string;
  steps: string[];
  installedAt: string;
}

function alreadyInstalled(paths: InstancePaths): AppError {
  return new AppError("already_exists", `Vitrine is already installed in ${paths.dir}.`);
}

/** A folder with somebody else's content in it is left alone. */
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
  // Looked at under the lock: another installer may have finished just before.
  if (await isInstalled(paths)) throw alreadyInstalled(paths);
  const keys = Object.values(keyFiles).map((file) => join(paths.keys, file));
  for (const file of [paths.configFile, paths.installLock, ...keys])
    await removeTemporaryFiles(file);
  for (const step of steps) {
    const startedAt = clock.monotonic();
    log.info({ step: step.name }, "install: step begins");
    await step.run();
    const ms = Math.round(clock.monotonic() - startedAt);
    log.info({ step: step.name, ms }, "install: step is done");
  }
  const installedAt = isoTime(clock.now());
  await writeFileAtomic(paths.installLock, `${JSON.stringify({ version, installedAt })}\n`);
  return { dir: paths.dir, steps: steps.map((step) => step.name), installedAt };
}

/**
 * Installs an instance: every step in order, then the mark `data/install.lock`. After a crash the
 * next call finishes what is missing. Throws `already_exists` when an instance, or foreign content,
 * is there and `locked` while another installer works; neither changes anything.
 */
export async function install(request: InstallRequest): Promise<InstallResult> {
  const { paths } = request;
  if (await isInstalled(paths)) throw alreadyInstalled(paths);
  await assertOurs(paths);
  await mkdir(paths.data, { recursive: true });
  return withInstallerLock(paths, () => runSteps(request));
}
