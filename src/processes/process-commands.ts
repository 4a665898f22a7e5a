import { join } from "node:path";
import type { Command } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { nodeBinary } from "../platform/paths.ts";
import { type Supervised, supervise } from "./supervisor.ts";

/** The processes that serve an instance, as the supervisor starts them. */
export function instanceProcesses(env: Environment): Supervised[] {
  return ["web", "runner"].map((name) => {
    return { name, command: nodeBinary, args: [join(import.meta.dirname, `${name}.ts`)], env };
  });
}

/**
 * Runs web and runner until SIGTERM or SIGINT has ended them. Gives the exit code. `onReady` is
 * called once, when both serve.
 */
export async function serveInstance(
  config: Config,
  env: Environment,
  onReady?: () => void,
): Promise<number> {
  const log = createLog({ level: config.logLevel, name: "supervisor" });
  const supervisor = supervise({
    processes: instanceProcesses({ ...env, VITRINE_DIR: config.dir }),
    log,
    ...(onReady ? { onReady } : {}),
  });
  process.on("SIGTERM", supervisor.stop);
  process.on("SIGINT", supervisor.stop);
  try {
    return await supervisor.ended;
  } finally {
    process.off("SIGTERM", supervisor.stop);
    process.off("SIGINT", supervisor.stop);
  }
}

/** The commands that serve an instance. */
export const processCommands = ["start", "web", "runner"] as const;

/** Registers `start`, `web` and `runner`, which serve until they are told to end and answer nothing. */
export function registerProcessCommands(
  program: Command,
  environment: () => Environment,
  session: { exitCode: number },
): void {
  program
    .command("start")
    .description("run web and runner, and start again either when it ends")
    .action(async () => {
      const config = loadConfig(environment());
      await assertInstalled(config.paths);
      session.exitCode = await serveInstance(config, environment());
    });
  for (const name of ["web", "runner"]) {
    program
      .command(name)
      .description(`run the ${name} process alone`)
      .action(async () => {
        const config = loadConfig(environment());
        await assertInstalled(config.paths);
        process.env["VITRINE_DIR"] = config.dir;
        await import(join(import.meta.dirname, `${name}.ts`));
      });
  }
}
