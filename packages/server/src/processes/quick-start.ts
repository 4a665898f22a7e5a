import type { Command } from "commander";
import { adminSecretsSetAt, setAdminToken } from "../features/admin-auth/admin-secrets.ts";
import type { InstallCommandDependencies } from "../features/install/cli.ts";
import { isInstalled } from "../features/install/lock.ts";
import { checkAnswers, type InstallAnswers } from "../features/install/steps.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { findTool, installCommand, missingTools, systemTools } from "../platform/system-tools.ts";
import { findOpener, openInBrowser } from "./open-in-browser.ts";
import { serveInstance } from "./serve-instance.ts";
import type { Streams } from "./terminal.ts";
import { upgradeOlderInstance } from "./upgrade.ts";

/** A sign-in link for an instance whose admin has neither a password nor a link yet. */
export async function createFirstLink(config: Config): Promise<string | null> {
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

/**
 * Prints where the site is and how to sign in, once all processes are serving. Returns the sign-in
 * link if it is the first one.
 */
export async function announceSite(
  config: Config,
  env: Environment,
  print: (text: string) => void,
): Promise<string | null> {
  const link = await createFirstLink(config);
  print(`\nVitrine serves ${config.baseUrl}`);
  if (link === null) {
    print(`Sign in at ${new URL("/admin", config.baseUrl).href}`);
    // npm sets it for what it runs; otherwise the command is on the search path, as in the image.
    const prefix = env["npm_command"] === undefined ? "" : "npx ";
    print(`A new sign-in link: ${prefix}vitrine set-admin-token --pretty\n`);
    return null;
  }
  print("Sign in with this link. It is shown this once; keep it like a password.\n");
  print(`${link}\n`);
  return link;
}

export interface QuickStartDependencies {
  environment(): Environment;
  streams: Streams;
  installer: Pick<InstallCommandDependencies, "ask" | "defaults" | "install">;
  endAsFailed(): void;
}

interface QuickStartOptions {
  yes?: true;
  open: boolean;
}

/** Names the programs that are missing. Throws `unavailable` if nothing works without one. */
async function checkTools(print: (text: string) => void): Promise<void> {
  const missing = await missingTools(systemTools.filter(({ need }) => need === "start"));
  if (missing.length === 0) return;
  const list = missing.map(({ name, purpose }) => `${name} (${purpose})`).join(", ");
  const message = `Missing: ${list}. On Debian and Ubuntu, this installs it:\n  ${installCommand(missing)}`;
  const git = systemTools.find(({ name }) => name === "git");
  if (git && (await findTool(git)) === null) throw new AppError("unavailable", message);
  print(message);
}

/** The port in an address of this machine. */
function localPort(baseUrl: string): number | undefined {
  const { hostname, port, protocol } = new URL(baseUrl);
  const isLocal = protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return isLocal && port !== "" ? Number(port) : undefined;
}

/** The answers to both questions, or the defaults. */
async function readAnswers(
  { ask, defaults }: QuickStartDependencies["installer"],
  isAsked: boolean,
): Promise<InstallAnswers> {
  const answers = defaults();
  if (isAsked) {
    const [ownerName = "", baseUrl = ""] = await ask([
      { label: "Your name, as the site shows it", fallback: answers.ownerName },
      { label: "The site's address", fallback: answers.baseUrl },
    ]);
    Object.assign(answers, { ownerName, baseUrl });
  }
  checkAnswers(answers);
  const port = localPort(answers.baseUrl);
  return port === undefined ? answers : { ...answers, port };
}

/** Installs an instance if there is none, upgrades an older one otherwise, and serves it. */
async function quickStart(
  { environment, streams, installer, endAsFailed }: QuickStartDependencies,
  options: QuickStartOptions,
): Promise<void> {
  const explain = (text: string) => void streams.stderr.write(`${text}\n`);
  const print = (text: string) => void streams.stdout.write(`${text}\n`);
  await checkTools(explain);
  const { paths } = loadConfig(environment());
  if (await isInstalled(paths))
    await upgradeOlderInstance(loadConfig(environment()), environment());
  else {
    const answers = await readAnswers(installer, options.yes !== true);
    explain(`Installing into ${paths.dir} …`);
    await installer.install(answers);
  }
  const config = loadConfig(environment());
  const announce = async () => {
    const link = await announceSite(config, environment(), print);
    const opener = options.open ? findOpener(environment()) : null;
    if (link !== null && opener !== null) await openInBrowser(link, paths.data, opener);
  };
  const onReady = () => void announce().catch((error: unknown) => explain(String(error)));
  if ((await serveInstance(config, environment(), { onReady })) !== 0) endAsFailed();
}

/** Registers `quickstart`, which serves until it is stopped and prints lines for people. */
export function registerQuickStart(program: Command, deps: QuickStartDependencies): void {
  program
    .command("quickstart")
    .description("install an instance if there is none, run it, and show a sign-in link")
    .option("--yes", "ask no questions and use the defaults")
    .option("--no-open", "don't open the sign-in link in a browser")
    .action((options: QuickStartOptions) => quickStart(deps, options));
}
