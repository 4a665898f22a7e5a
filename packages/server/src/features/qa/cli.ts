import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import type { CliContext } from "../../platform/cli.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { currentRelease, releasePath } from "../release/current-symlink.ts";
import { registerExternalRunCommands } from "./cli/external-run.ts";
import {
  checkSite,
  defineQaCommand,
  type QaCommandDependencies,
} from "vitrine-qa/src/command/qa-command.ts";
import type { Engine } from "vitrine-qa/src/engine/job.ts";
import { withAppErrors } from "./qa-errors.ts";
import { runQaWith } from "vitrine-qa/src/run-qa.ts";

/** What these commands need in addition to the shared dependencies. */
export interface RegisterQaCommandsDependencies {
  engine: Engine;
  version: string;
  streams: { stdin: Readable; stdout: Writable; stderr: Writable };
  /** Makes the command exit with code 1 although it prints a result. */
  fail(): void;
  /**
   * Calls `listener` once when the user interrupts the command; returns a function that unregisters
   * it.
   */
  onInterrupt(listener: () => void): () => void;
}

function registerQaCommand(
  program: Command,
  context: CliContext,
  dependencies: RegisterQaCommandsDependencies,
): void {
  const { engine, version, streams, fail, onInterrupt } = dependencies;
  const { clock } = context;
  const tool = { name: "Vitrine", version };
  const deps: QaCommandDependencies = {
    run: (url, options) => runQaWith({ engine, now: () => clock.now(), tool }, url, options),
    clock,
    stdout: streams.stdout,
    stderr: streams.stderr,
    isPretty: () => program.opts<{ pretty?: boolean }>().pretty === true,
    print: (data) => context.print(data),
    fail,
    onInterrupt,
  };
  defineQaCommand(program.command("qa"), (url, options) =>
    withAppErrors(() => checkSite(url, options, deps)),
  );
}

/** The paths of the live release's pages, without "not found" pages and redirects. */
async function liveRoutes(
  paths: InstancePaths,
): Promise<{ release: number; paths: string[] } | null> {
  const release = await currentRelease(paths);
  if (release === null) return null;
  const { files, redirects = {} } = await readManifest(`${releasePath(paths, release)}.json`);
  const pages = Object.entries(files).flatMap(([path, { type }]) =>
    type.startsWith("text/html") &&
    !Object.hasOwn(redirects, path) &&
    !/^\/404(\.html|\/)$/.test(path)
      ? [path]
      : [],
  );
  return { release, paths: pages.toSorted() };
}

function registerRoutes(program: Command, context: CliContext): void {
  program
    .command("qa-routes")
    .description("list the paths of the live site, for an external QA program")
    .action(async () => {
      const { config } = await context.open();
      const live = await liveRoutes(config.paths);
      if (live === null) return context.printNothingToDo({ release: null, paths: [] });
      context.print({ site: config.baseUrl, ...live });
    });
}

/** Registers `qa`, `qa-start`, `qa-finish` and `qa-routes`. */
export function registerQaCommands(
  program: Command,
  context: CliContext,
  dependencies: RegisterQaCommandsDependencies,
): void {
  registerQaCommand(program, context, dependencies);
  registerExternalRunCommands(program, context, dependencies.streams);
  registerRoutes(program, context);
}
