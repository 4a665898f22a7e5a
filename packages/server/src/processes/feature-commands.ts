import type { Command } from "commander";
import { registerAdminCommands } from "../features/admin-auth/cli.ts";
import { registerBackupCommands } from "../features/backup/cli.ts";
import { registerChangelogCommands } from "../features/changelog/cli.ts";
import { registerInstallCommands } from "../features/install/cli.ts";
import { assertInstalled } from "../features/install/lock.ts";
import { registerPortabilityCommands } from "../features/portability/cli.ts";
import { registerQaCommands } from "../features/qa/cli.ts";
import { engineInProcess } from "vitrine-qa/src/run-qa.ts";
import { registerReleaseCommands } from "../features/release/cli.ts";
import { registerResourceCommands } from "../features/resources/cli.ts";
import { registerSettingCommands } from "../features/settings/cli.ts";
import { registerTaskCommands } from "../features/tasks/cli.ts";
import type { CliContext, OpenedInstance } from "../platform/cli.ts";
import type { Environment } from "../platform/config.ts";
import { programVersion } from "../platform/version.ts";
import { currentOwnerName } from "./live-settings.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";
import { makeInstallDependencies } from "./installer.ts";
import { promptAll, type Streams } from "./terminal.ts";

/** Calls `listener` when the user interrupts a command; returns a function that unregisters it. */
function onInterrupt(listener: () => void): () => void {
  process.once("SIGINT", listener);
  process.once("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}

/**
 * Registers all commands of the features; `endAsFailed` is called by a command that found problems.
 */
export function registerFeatureCommands(
  program: Command,
  deps: {
    environment(): Environment;
    context: CliContext;
    streams: Streams;
    endAsFailed(): void;
    answerOnStderr(): void;
  },
): void {
  const { environment, context, streams, endAsFailed } = deps;
  const prompt = (questions: { label: string; fallback: string }[]) =>
    promptAll(streams, questions);
  const install = makeInstallDependencies({ environment, log: context.log, prompt: prompt });
  registerInstallCommands(program, context, install);
  registerAdminCommands(program, context);
  const { clock } = context;
  const onChange = makeRebuildRequester(context);
  const ownerName = (opened: OpenedInstance) => currentOwnerName(opened, clock);
  registerSettingCommands(program, context, { onSiteChange: onChange });
  registerChangelogCommands(program, context, { ownerName, onChange });
  registerReleaseCommands(program, context);
  registerResourceCommands(program, context);
  registerTaskCommands(program, context, { ownerName });
  registerPortabilityCommands(program, context, {
    streams,
    fail: endAsFailed,
    async openImporter(opened, onProgress) {
      const { openImporter: openWith } = await import("./portability.ts");
      return openWith(opened, { clock, log: context.log, onProgress });
    },
    async exportAll(opened, dir) {
      const { exportInstance } = await import("./portability.ts");
      return exportInstance(opened, dir);
    },
  });
  registerQaCommands(program, context, {
    engine: engineInProcess,
    version: programVersion(),
    streams,
    fail: endAsFailed,
    onInterrupt,
  });
  registerBackupCommands(program, context, {
    environment,
    streams,
    version: programVersion(),
    printResultOnStderr: deps.answerOnStderr,
    onInterrupt,
    assertInstalled: ({ paths }) => assertInstalled(paths),
  });
}
