import { join } from "node:path";
import type { Command } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { nodeBinary } from "../platform/paths.ts";
import { failedStart } from "./run-process.ts";
import { bindSharedPort, inheritedDescriptor, type SharedPort } from "./shared-port.ts";
import { keepStandIn, type StandInKeeper } from "./stand-in-keeper.ts";
import { type Supervised, supervise } from "./supervisor.ts";

/** The processes that serve an instance, as the supervisor starts them. */
export function instanceProcesses(env: Environment): Supervised[] {
  return ["web", "runner"].map((name) => {
    return { name, command: nodeBinary, args: [join(import.meta.dirname, `${name}.ts`)], env };
  });
}

function standInProcess(env: Environment, { descriptor }: SharedPort) {
  const args = [join(import.meta.dirname, "stand-in.ts"), `--descriptor=${inheritedDescriptor}`];
  return { name: "stand-in", command: nodeBinary, args, env, descriptor };
}

/** The web process on a port that is kept for it, with somebody who serves the site in its absence. */
function withStandIn(web: Supervised, { descriptor }: SharedPort, standIn: StandInKeeper) {
  const args = [...web.args, `--descriptor=${inheritedDescriptor}`];
  return { ...web, args, descriptor, onReady: standIn.rest, onEnded: standIn.serve };
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
  const inherited = { ...env, VITRINE_DIR: config.dir };
  let port: SharedPort | null;
  try {
    port = await bindSharedPort(config.host, config.port);
  } catch (error) {
    return failedStart(log, error);
  }
  const standIn = port && keepStandIn({ spec: standInProcess(inherited, port), log });
  const supervisor = supervise({
    processes: instanceProcesses(inherited).map((spec) =>
      spec.name === "web" && port && standIn ? withStandIn(spec, port, standIn) : spec,
    ),
    log,
    ...(onReady ? { onReady } : {}),
  });
  const stop = () => {
    standIn?.stop();
    supervisor.stop();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  try {
    return await supervisor.ended;
  } finally {
    standIn?.stop();
    await standIn?.ended;
    port?.close();
    process.off("SIGTERM", stop);
    process.off("SIGINT", stop);
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
