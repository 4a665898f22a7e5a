import { type Command, Option } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { type Environment, loadConfig } from "../platform/config.ts";
import { programOf } from "./process-specs.ts";
import { serveInstance } from "./serve-instance.ts";

/** The commands that serve an instance. */
export const processCommands = ["start", "web", "runner"] as const;

/**
 * Registers `start`, `web`, and `runner`, which serve until they are stopped and print no result.
 */
export function registerProcessCommands(
  program: Command,
  environment: () => Environment,
  session: { exitCode: number },
): void {
  program
    .command("start")
    .description("run the front, web and runner processes and restart any that end")
    .option("--upgrade", "before, upgrade an instance of an older version, or refuse to start")
    .addOption(new Option("--inherited", "serve the port of the parent process").hideHelp())
    .action(async (options: { upgrade?: true; inherited?: true }) => {
      const config = loadConfig(environment());
      await assertInstalled(config.paths);
      if (options.upgrade) {
        const { upgradeOlderInstance } = await import("./upgrade.ts");
        await upgradeOlderInstance(config, environment());
      }
      session.exitCode = await serveInstance(config, environment(), {
        isInherited: options.inherited === true,
      });
    });
  for (const name of ["web", "runner"]) {
    program
      .command(name)
      .description(`run only the ${name} process`)
      .action(async () => {
        const config = loadConfig(environment());
        await assertInstalled(config.paths);
        process.env["VITRINE_DIR"] = config.dir;
        await import(programOf(name));
      });
  }
}
