import { AppError } from "../../../kit/errors.ts";
import { run, type RunOptions, type RunResult, systemPath } from "../../../platform/process.ts";
import {
  findTool,
  installCommand,
  openSshClient,
  rsyncTool,
  type SystemTool,
  systemTools,
} from "../../../platform/system-tools.ts";
import { quotable } from "./http-client.ts";

const gitTool = systemTools.find(({ name }) => name === "git") as SystemTool;
const utilLinux: SystemTool = {
  name: "setpriv",
  binaries: ["setpriv"],
  package: "util-linux",
  need: "start",
  purpose: "ends programs with the process that started them",
};

const tools = { git: gitTool, rsync: rsyncTool, ssh: openSshClient };

/** Half an hour, for the first delivery of a large site over a slow line, in ms. */
const transferMs = 30 * 60_000;

/** Throws `unavailable` with the command that installs a missing program. */
export async function assertInstalled(names: readonly (keyof typeof tools)[]): Promise<void> {
  const missing: SystemTool[] = [];
  for (const name of names) if ((await findTool(tools[name])) === null) missing.push(tools[name]);
  if (missing.length === 0) return;
  const list = missing.map(({ name }) => name).join(" and ");
  const message = `This needs ${list} on the server. Install it there: ${installCommand(missing)}`;
  throw new AppError("unavailable", message);
}

/**
 * Runs a program that ends when this process dies: the one that continues the delivery must not meet
 * it. Its time limit is half an hour unless given.
 */
export async function runBound(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const setpriv = await findTool(utilLinux);
  const env = { PATH: systemPath, LC_ALL: "C", HOME: "/nonexistent", ...options.env };
  const bounded = { timeoutMs: transferMs, ...options, env };
  if (setpriv === null) return run(program, args, bounded);
  return run(setpriv, ["--pdeathsig", "KILL", "--", program, ...args], bounded);
}

/** Lines in which ssh, git, and rsync say nothing about the cause. */
const noise =
  /^(?:Warning: Permanently added|rsync error:|rsync: connection unexpectedly|fatal: the remote end hung up|Please make sure|and the repository exists|@{3,}|@ |To |hint:|Everything up-to-date|remote:\s*$|\s*$)/;

/** What a program that failed has said, in one sentence. */
export function failureOf(what: string, { stderr, exitCode }: RunResult): AppError {
  const lines = stderr.split("\n").map((line) => line.trim());
  const line = lines.find((text) => !noise.test(text)) ?? `exit code ${exitCode}`;
  if (/host key verification failed/i.test(stderr)) {
    const message =
      "The server has another host key than the one you confirmed. Nothing was sent. If the server was set up again, get its host key again and compare the fingerprint.";
    return new AppError("upstream_failed", message);
  }
  if (/permission denied \([a-z,-]*publickey/i.test(stderr)) {
    const message = "The server refused the SSH key. Add the target’s public key there.";
    return new AppError("upstream_failed", message);
  }
  if (/authentication failed|could not read (?:username|password)|error: 403/i.test(stderr)) {
    const message = "The server refused the token. Check the token and what it may do.";
    return new AppError("upstream_failed", message);
  }
  return new AppError("upstream_failed", `${what} (${quotable(line.replace(/^fatal: /, ""))}).`);
}
