import { dirname, join } from "node:path";
import type { Command } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { AppError } from "../kit/errors.ts";
import type { CliContext, OpenedInstance } from "../platform/cli.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { nodeBinary, platformRoot } from "../platform/paths.ts";
import { systemPath } from "../platform/process.ts";
import { programVersion } from "../platform/version.ts";
import { findCommand } from "./find-command.ts";
import { promptAll, type Streams } from "./terminal.ts";

interface FeatureCommandDependencies {
  environment(): Environment;
  /** That of the installation around a further site, which its commands are given without its keys. */
  installationEnvironment(): Environment;
  context: CliContext;
  streams: Streams;
  /** Called by a command that found problems. */
  endAsFailed(): void;
  answerOnStderr(): void;
}

/** Commands of a feature. Loading them takes time, so only the feature that is used is loaded. */
interface FeatureCommands {
  names: readonly string[];
  register(program: Command, deps: FeatureCommandDependencies): Promise<void>;
}

/** Calls `listener` when the user interrupts a command; returns a function that unregisters it. */
function onInterrupt(listener: () => void): () => void {
  process.once("SIGINT", listener);
  process.once("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}

async function makeOwnerName({ context }: FeatureCommandDependencies) {
  const { currentOwnerName } = await import("./live-settings.ts");
  return (opened: OpenedInstance) => currentOwnerName(opened, context.clock);
}

async function makeOnChange({ context }: FeatureCommandDependencies) {
  const { makeRebuildRequester } = await import("./request-rebuild.ts");
  return makeRebuildRequester(context);
}

/** The configuration of an installed instance, without opening its database. */
async function installedConfig(env: Environment): Promise<Config> {
  const config = loadConfig(env);
  await assertInstalled(config.paths);
  return config;
}

/** The program, and the folder of its Node unless services find it anyway. */
function deployedProgram() {
  const folder = dirname(nodeBinary);
  const isFound =
    nodeBinary.startsWith(`${platformRoot}/`) || systemPath.split(":").includes(folder);
  const program = join(platformRoot, "packages/server/bin/vitrine");
  return { program, nodeFolder: isFound ? null : folder };
}

async function openInstaller({ environment, context, streams }: FeatureCommandDependencies) {
  const { makeInstallDependencies } = await import("./installer.ts");
  return makeInstallDependencies({
    environment,
    log: context.log,
    prompt: (questions: { label: string; fallback: string }[]) => promptAll(streams, questions),
    report: (line: string) => void streams.stderr.write(`${line}\n`),
  });
}

const features: FeatureCommands[] = [
  {
    names: ["install", "migrate", "doctor"],
    async register(program, deps) {
      const { registerInstallCommands } = await import("../features/install/cli.ts");
      registerInstallCommands(program, deps.context, await openInstaller(deps));
    },
  },
  {
    names: ["quickstart"],
    async register(program, deps) {
      const { registerQuickStart } = await import("./quick-start.ts");
      registerQuickStart(program, { ...deps, installer: await openInstaller(deps) });
    },
  },
  {
    names: ["set-admin-password", "set-admin-token", "api-token"],
    async register(program, { context }) {
      const { registerAdminCommands } = await import("../features/admin-auth/cli.ts");
      registerAdminCommands(program, context);
    },
  },
  {
    names: ["rotate-settings-key", "setting"],
    async register(program, deps) {
      const { registerSettingCommands } = await import("../features/settings/cli.ts");
      const { installationEnvironment, context } = deps;
      registerSettingCommands(program, context, {
        onSiteChange: await makeOnChange(deps),
        async openSharedKeyring({ config }) {
          const { openSharedKeyring } = await import("./site-registry.ts");
          return openSharedKeyring(config, { ...context, env: installationEnvironment() });
        },
      });
    },
  },
  {
    names: ["seed-changelog"],
    async register(program, deps) {
      const { registerChangelogCommands } = await import("../features/changelog/cli.ts");
      const [ownerName, onChange] = [await makeOwnerName(deps), await makeOnChange(deps)];
      registerChangelogCommands(program, deps.context, { ownerName, onChange });
    },
  },
  {
    names: ["nginx-release", "rebuild"],
    async register(program, { context }) {
      const { registerReleaseCommands } = await import("../features/release/cli.ts");
      registerReleaseCommands(program, context);
    },
  },
  {
    names: ["migrate-storage"],
    async register(program, { environment, context }) {
      const { registerStorageCommands } = await import("../features/storage/cli.ts");
      registerStorageCommands(program, context, {
        async moveStorage(opened, to) {
          const { moveStorage } = await import("./move-storage.ts");
          return moveStorage(opened, to, { env: environment(), ...context });
        },
      });
    },
  },
  {
    names: ["publish-targets", "send-to-target", "test-target"],
    async register(program, { context }) {
      const { registerTargetCommands } = await import("../features/publish-targets/cli.ts");
      const { openTargets } = await import("./publish-targets.ts");
      const { clock, log } = context;
      registerTargetCommands(program, context, {
        // A running runner looks for what is due every few seconds.
        openTargets: (opened) => openTargets(opened, { clock, log, wake: () => {} }),
      });
    },
  },
  {
    names: ["deploy"],
    async register(program, { environment, context }) {
      const { registerDeployCommands } = await import("../features/deploy/cli.ts");
      registerDeployCommands(program, context, {
        program: deployedProgram(),
        config: () => installedConfig(environment()),
      });
    },
  },
  {
    names: ["status"],
    async register(program, { environment, context, endAsFailed }) {
      const { registerHealthCommands } = await import("../features/health/cli.ts");
      registerHealthCommands(program, context, {
        config: () => installedConfig(environment()),
        fail: endAsFailed,
      });
    },
  },
  {
    names: ["resources", "add-starter-sources"],
    async register(program, { context }) {
      const { registerResourceCommands } = await import("../features/resources/cli.ts");
      registerResourceCommands(program, context);
    },
  },
  {
    names: ["tasks-next", "tasks-renew", "tasks-finish"],
    async register(program, deps) {
      const { registerTaskCommands } = await import("../features/tasks/cli.ts");
      registerTaskCommands(program, deps.context, { ownerName: await makeOwnerName(deps) });
    },
  },
  {
    names: ["import", "export"],
    async register(program, { context, streams, endAsFailed }) {
      const { registerPortabilityCommands } = await import("../features/portability/cli.ts");
      const { clock, log } = context;
      registerPortabilityCommands(program, context, {
        streams,
        fail: endAsFailed,
        async openImporter(opened, onProgress) {
          const { openImporter: openWith } = await import("./portability.ts");
          return openWith(opened, { clock, log, onProgress });
        },
        async exportAll(opened, dir) {
          const { exportInstance } = await import("./portability.ts");
          return exportInstance(opened, dir);
        },
      });
    },
  },
  {
    names: ["qa", "qa-start", "qa-finish", "qa-routes"],
    async register(program, { context, streams, endAsFailed }) {
      const { registerQaCommands } = await import("../features/qa/cli.ts");
      const { engineInProcess } = await import("vitrine-qa/src/run-qa.ts");
      registerQaCommands(program, context, {
        engine: engineInProcess,
        version: programVersion(),
        streams,
        fail: endAsFailed,
        onInterrupt,
      });
    },
  },
  {
    names: ["backup", "restore"],
    async register(program, { environment, context, streams, answerOnStderr }) {
      const { registerBackupCommands } = await import("../features/backup/cli.ts");
      registerBackupCommands(program, context, {
        environment,
        streams,
        version: programVersion(),
        printResultOnStderr: answerOnStderr,
        onInterrupt,
        async copyRecords(options) {
          const { makeCopyRecords } = await import("../features/database-move/copy-records.ts");
          return makeCopyRecords(context.clock)(options);
        },
        assertInstalled: ({ paths }) => assertInstalled(paths),
      });
    },
  },
  {
    names: ["migrate-database"],
    async register(program, { environment, context, streams }) {
      const { registerMoveCommands } = await import("../features/database-move/cli.ts");
      registerMoveCommands(program, context, {
        config: () => installedConfig(environment()),
        databaseUrl: () => environment()["DATABASE_URL"] || null,
        onProgress: (line) => void streams.stderr.write(`${line}\n`),
        onInterrupt,
      });
    },
  },
  {
    names: ["site"],
    async register(program, { environment, context, streams }) {
      const { registerSiteCommands } = await import("../features/sites/cli.ts");
      const ending = new AbortController();
      registerSiteCommands(program, context, {
        async withSites(work, { progressPrefix } = { progressPrefix: "" }) {
          const { withSiteOperations } = await import("./site-operations.ts");
          const stop = onInterrupt(() =>
            ending.abort(new AppError("unavailable", "It was stopped before it finished.")),
          );
          const deps = {
            env: environment(),
            clock: context.clock,
            log: context.log,
            version: programVersion(),
            signal: ending.signal,
            onProgress: (line: string) => void streams.stderr.write(`${progressPrefix}${line}\n`),
          };
          return withSiteOperations(deps, work).finally(stop);
        },
      });
    },
  },
  {
    names: ["upgrade", "upgrade-trial", "upgrade-finish"],
    async register(program, { environment, context, streams }) {
      const { registerUpgradeCommands } = await import("../features/upgrade/cli.ts");
      const { makeUpgradeDependencies } = await import("./upgrade.ts");
      const deps = makeUpgradeDependencies({
        environment,
        config: () => installedConfig(environment()),
        onProgress: (line) => void streams.stderr.write(`${line}\n`),
        onInterrupt,
      });
      registerUpgradeCommands(program, context, deps);
    },
  },
];

/** Registers the commands of the feature that `args` name; all of them for help and other names. */
export async function registerFeatureCommands(
  program: Command,
  args: readonly string[],
  deps: FeatureCommandDependencies,
): Promise<void> {
  const name = findCommand(args) ?? "";
  const named = features.filter(({ names }) => names.includes(name));
  for (const feature of named.length > 0 ? named : features) await feature.register(program, deps);
}
