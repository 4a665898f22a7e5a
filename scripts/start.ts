import {
  adminSecretsSetAt,
  setAdminToken,
} from "../packages/server/src/features/admin-auth/admin-secrets.ts";
import { isInstalled } from "../packages/server/src/features/install/lock.ts";
import { systemClock } from "../packages/server/src/kit/clock.ts";
import { type Config, loadConfig } from "../packages/server/src/platform/config.ts";
import { openDatabase } from "../packages/server/src/platform/db/connect.ts";
import { systemTools } from "../packages/server/src/platform/system-tools.ts";
import { runCommand } from "../packages/server/src/processes/cli.ts";
import { handOver } from "../packages/server/src/processes/hand-over.ts";
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

/** A sign-in link for an instance whose admin has neither a password nor a link yet. */
async function firstLink(config: Config): Promise<string | null> {
  const database = openDatabase({ url: config.databaseUrl, file: config.paths.database });
  try {
    const { passwordSetAt, tokenSetAt } = await adminSecretsSetAt(database.db);
    if (passwordSetAt !== null || tokenSetAt !== null) return null;
    const { db } = database;
    return (await setAdminToken({ db, clock: systemClock, baseUrl: config.baseUrl })).url;
  } finally {
    await database.close();
  }
}

/** Prints where the site is and how to sign in, once both processes are serving. */
async function announce(config: Config): Promise<void> {
  const link = await firstLink(config);
  console.log(`\nVitrine serves ${config.baseUrl}`);
  if (link === null) {
    console.log(`Sign in at ${new URL("/admin", config.baseUrl).href}`);
    console.log("A new sign-in link: npx vitrine set-admin-token --pretty\n");
    return;
  }
  console.log("Sign in with this link. It is shown this once; keep it like a password.\n");
  console.log(`${link}\n`);
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
    onReady: () => void announce(config).catch(console.error),
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
