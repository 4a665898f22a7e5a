import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { assertInstalled } from "../features/install/lock.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError, toAppError } from "../kit/errors.ts";
import { siteIdPattern } from "../kit/site-id.ts";
import type { CliContext, OpenedInstance } from "../platform/cli.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { programVersion } from "../platform/version.ts";
import { assertStorableArguments } from "./assert-storable-arguments.ts";
import { siteEnvironment } from "./site-environment.ts";
import { processCommands, registerProcessCommands } from "./process-commands.ts";
import { readSecret, type Streams, writeResult, writeFailure } from "./terminal.ts";

const exitCodes = { done: 0, failed: 1, wrongUsage: 2, nothingToDo: 3 };

async function openInstalled(config: Config): Promise<OpenedInstance> {
  await assertInstalled(config.paths);
  const { openStores } = await import("./instance.ts");
  return { config, ...(await openStores(config)) };
}

/** The input may contain a secret, so no argument or option value is repeated. */
function usageError(error: CommanderError): AppError {
  const message = error.message
    .replace(/^error: /, "")
    .replace(/(but got \d+):.*$/s, "$1.")
    .replace(/'(-[^='\s]*)=[^']*'/g, "'$1'")
    .replace("(outputHelp)", "Enter a command. To list the commands, use --help.");
  return new AppError("bad_request", message.trim());
}

interface Session {
  context: CliContext;
  exitCode: number;
  pretty: boolean;
  /** Where results are written. */
  answers: Streams;
  /** Ends the command, and writes a result that had to wait for that, unless the command has failed. */
  close(hasFailed: boolean): Promise<void>;
}

/** The error of a command for a site whose processes can't be told about it. */
function unfinished(cause: unknown, details: { result: unknown } | null): AppError {
  const { code, message } = toAppError(cause);
  const text = `The command is done, but the site's processes can't be told about changes: ${message}`;
  return new AppError(code, text, { cause, ...(details && { details }) });
}

interface Environments {
  /** Of the instance that the command is for. */
  environment(): Environment;
  /** Of the installation. */
  installationEnvironment(): Environment;
}

function makeSession(
  { environment, installationEnvironment }: Environments,
  streams: Streams,
): Session {
  let opened: Promise<OpenedInstance> | null = null;
  let isSite = false;
  let waiting: { result: unknown } | null = null;
  const open = async () => {
    const instance = await openInstalled(loadConfig(environment()));
    isSite = instance.config.site !== null;
    return instance;
  };
  const print = (result: unknown) => {
    // Whether other processes of a further site know what was changed is part of the answer.
    if (isSite) waiting = { result };
    else writeResult(session.answers, result, session.pretty);
  };
  const level = environment()["LOG_LEVEL"] || "warn";
  const log = createLog({ level, name: "cli", destination: streams.stderr });
  const session: Session = {
    exitCode: exitCodes.done,
    pretty: false,
    answers: streams,
    context: {
      clock: systemClock,
      log,
      open: () => (opened ??= open()),
      print,
      printNothingToDo: (data) => {
        session.exitCode = exitCodes.nothingToDo;
        print(data);
      },
      readSecret: (label, options) => readSecret(streams, label, options),
    },
    async close(hasFailed) {
      const instance = await opened?.catch(() => null);
      await instance?.database.close();
      if (instance?.config.site) {
        const env = installationEnvironment();
        const { wakeChangedSite } = await import("./site-registry.ts");
        await wakeChangedSite(instance.config, { env, clock: systemClock, log }).catch(
          (cause: unknown) => {
            throw unfinished(cause, waiting);
          },
        );
      }
      if (waiting && !hasFailed) writeResult(session.answers, waiting.result, session.pretty);
    },
  };
  return session;
}

/** The environment of a command for one of the installation's further sites. */
function environmentOf(env: Environment, site: string): Environment {
  const installation = loadConfig(env);
  const isName = siteIdPattern.test(site);
  if (isName && existsSync(join(installation.paths.sites, site))) {
    return siteEnvironment(env, installation, site);
  }
  throw new AppError("not_found", `There is no site called “${site}” in ${installation.dir}.`);
}

async function makeProgram(
  args: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<{ program: Command; session: Session }> {
  const program = new Command("vitrine");
  const installationEnvironment = (): Environment => {
    const { dir } = program.opts<{ dir?: string }>();
    return dir === undefined ? env : { ...env, VITRINE_DIR: dir };
  };
  const environment = (): Environment => {
    const { site } = program.opts<{ site?: string }>();
    const own = installationEnvironment();
    return site === undefined ? own : environmentOf(own, site);
  };
  const session = makeSession({ environment, installationEnvironment }, streams);
  program
    .description("A self-hosted portfolio that an agent edits and its owner publishes.")
    .version(programVersion())
    .option("--dir <folder>", "the instance's folder (default: VITRINE_DIR or ./instance)")
    .option("--site <name>", "a further site of this installation, for all commands but `site`")
    .option("--pretty", "print readable lines instead of JSON")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: () => {},
    })
    .hook("preAction", async () => {
      const { site } = program.opts<{ site?: string }>();
      if (site === undefined) return;
      const { ensureCopy } = await import("./site-registry.ts");
      await ensureCopy(installationEnvironment(), site, session.context);
    })
    .on("option:pretty", () => {
      session.pretty = true;
    });
  registerProcessCommands(program, environment, session);
  // Serving needs no other command, and loading all of them takes time.
  if (!processCommands.some((name) => name === args[0])) {
    const { registerFeatureCommands } = await import("./feature-commands.ts");
    await registerFeatureCommands(program, args, {
      environment,
      installationEnvironment,
      context: session.context,
      streams,
      endAsFailed() {
        session.exitCode = exitCodes.failed;
      },
      answerOnStderr() {
        session.answers = { ...streams, stdout: streams.stderr };
      },
    });
  }
  return { program, session };
}

function fail(session: Session, error: unknown): number {
  const streams = session.answers;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    writeFailure(streams, usageError(error), session.pretty);
    return exitCodes.wrongUsage;
  }
  const known = toAppError(error);
  if (known.code === "internal") session.context.log.error({ err: error }, "command failed");
  writeFailure(streams, known, session.pretty);
  return exitCodes.failed;
}

/**
 * Runs one command. Returns its exit code: 0 done, 1 failed, 2 usage error, 3 nothing to do. Writes
 * one JSON envelope to stdout (help and version are plain text) and logs to stderr.
 */
export async function runCommand(
  args: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const { program, session } = await makeProgram(args, env, streams);
  let error: unknown = null;
  try {
    assertStorableArguments(args);
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    error = thrown ?? new AppError("internal", "The command failed.");
  }
  try {
    await session.close(error !== null);
  } catch (thrown) {
    if (error !== null) session.context.log.error({ err: thrown }, "a changed site isn't known");
    error ??= thrown;
  }
  return error === null ? session.exitCode : fail(session, error);
}
