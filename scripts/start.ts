import { isInstalled } from "../packages/server/src/features/install/lock.ts";
import { loadConfig } from "../packages/server/src/platform/config.ts";
import { systemTools } from "../packages/server/src/platform/system-tools.ts";
import { runCommand } from "../packages/server/src/processes/cli.ts";
import { handOver } from "../packages/server/src/processes/hand-over.ts";
import { announceSite } from "../packages/server/src/processes/quick-start.ts";
import { serveInstance } from "../packages/server/src/processes/serve-instance.ts";
import { upgradeOlderInstance } from "../packages/server/src/processes/upgrade.ts";
import { ensureConsole } from "./console-build.ts";
import { ensureTools } from "./tools.ts";

const nothingToDo = 3;

/**
 * Runs one of our commands; its output goes to stderr, because stdout is for this script's own
 * lines.
 */
async function runOwn(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { stdin, stderr } = process;
  const code = await runCommand([...args, "--pretty"], env, { stdin, stdout: stderr, stderr });
  if (code !== 0 && code !== nothingToDo) process.exit(code);
}

async function main(): Promise<number> {
  await handOver(loadConfig(process.env).paths, ["start"], { isStart: true });
  await ensureTools(systemTools.filter((tool) => tool.need === "start"));
  ensureConsole();
  const { env } = process;
  const { paths } = loadConfig(env);
  if (await isInstalled(paths)) await upgradeOlderInstance(loadConfig(env), env);
  else {
    console.error(`Installing into ${paths.dir} …`);
    await runOwn(["install", "--yes"], env);
  }
  const config = loadConfig(env);
  return serveInstance(config, env, {
    onReady: () => void announceSite(config, process.env, console.log).catch(console.error),
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
