import { cp, mkdir, readFile, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { isVersion, newestRelease } from "../../kit/versions.ts";
import { exists, fsyncFolder, removeTree } from "../../platform/files.ts";
import type { Environment } from "../../platform/config.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { run, systemPath } from "../../platform/process.ts";
import { commandOf } from "./programs.ts";

/** How long a download or a build may take, in ms. */
const fetchTimeoutMs = 20 * 60_000;
const lookUpTimeoutMs = 60_000;

/** Where new versions come from. */
export interface ProgramSource {
  /** `clone`, `package`, `folder`, or `image` for a program that can't be fetched. */
  kind: "clone" | "package" | "folder" | "image";
  /** The newest released version; null if there is none. Asks the network. */
  newest(): Promise<string | null>;
  /** Puts the complete program into a new folder. */
  fetchInto(dir: string, version: string): Promise<void>;
}

/** What the owner's terminal has: proxies, certificates, and credentials of git and npm. */
function toolEnvironment(env: Environment): Record<string, string> {
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith("VITRINE_") && entry[0] !== "DATABASE_URL",
  );
  return { ...Object.fromEntries(given), PATH: env["PATH"] ?? systemPath };
}

interface ToolOptions {
  env: Environment;
  signal: AbortSignal;
}

async function tool(
  command: string,
  args: string[],
  { env, ...options }: ToolOptions & { cwd: string; timeoutMs?: number },
): Promise<string> {
  const result = await run(command, args, {
    ...options,
    env: toolEnvironment(env),
    timeoutMs: options.timeoutMs ?? fetchTimeoutMs,
  });
  if (result.exitCode === 0) return result.stdout;
  const lines = (result.stderr || result.stdout).trim().split("\n");
  const message = `${command} ${args[0] ?? ""} failed: ${lines.at(-1) ?? ""}`.slice(0, 500);
  throw new AppError("upstream_failed", message, { cause: new Error(result.stderr) });
}

/** A git clone: its remote's tags are the versions. */
function cloneSource(root: string, remote: string, options: ToolOptions): ProgramSource {
  return {
    kind: "clone",
    async newest() {
      const args = ["ls-remote", "--tags", "--refs", remote, "v*"];
      const listed = await tool("git", args, { ...options, cwd: root, timeoutMs: lookUpTimeoutMs });
      return newestRelease(
        [...listed.matchAll(/refs\/tags\/v(\S+)$/gm)].map(([, tag = ""]) => tag),
      );
    },
    async fetchInto(dir, version) {
      const clone = ["clone", "--quiet", "--depth", "1", "--branch", `v${version}`];
      await tool("git", [...clone, "--", remote, dir], { ...options, cwd: dirname(dir) });
      await tool("npm", ["ci", "--no-audit", "--no-fund"], { ...options, cwd: dir });
      await tool("npm", ["run", "build"], { ...options, cwd: dir });
    },
  };
}

/** An installed package: its registry has the versions. */
function packageSource(name: string, root: string, options: ToolOptions): ProgramSource {
  return {
    kind: "package",
    async newest() {
      const args = ["view", name, "version", "--json"];
      const text = await tool("npm", args, { ...options, cwd: root, timeoutMs: lookUpTimeoutMs });
      return newestRelease([String(JSON.parse(text) as unknown)]);
    },
    async fetchInto(dir, version) {
      await mkdir(dir);
      const install = ["install", "--no-audit", "--no-fund", "--save-exact", "--prefix", dir];
      await tool("npm", [...install, `${name}@${version}`], { ...options, cwd: dir });
    },
  };
}

async function versionIn(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  const { version } = JSON.parse(text) as { version?: unknown };
  return typeof version === "string" && isVersion(version) ? version : null;
}

/** A folder with a complete program; one in `programs` itself is moved instead of copied. */
function folderSource(given: string, { programs }: InstancePaths): ProgramSource {
  const folder = resolve(given);
  return {
    kind: "folder",
    async newest() {
      if (!(await exists(commandOf(folder)))) {
        const message = `${folder} isn't a complete Vitrine: it has no node_modules/.bin/vitrine. Run \`npm ci\` there.`;
        throw new AppError("bad_request", message);
      }
      return versionIn(folder);
    },
    async fetchInto(dir) {
      if ((await realpath(dirname(folder))) === (await realpath(programs))) {
        return rename(folder, dir);
      }
      await cp(folder, dir, {
        recursive: true,
        preserveTimestamps: true,
        verbatimSymlinks: true,
        filter: (path) => basename(path) !== ".git",
      });
    },
  };
}

/** What a container image has: nothing can be fetched into it. */
const imageSource: ProgramSource = {
  kind: "image",
  newest: async () => null,
  async fetchInto() {
    const message =
      "This program is neither a git clone nor an npm package. Start the new version on this instance (`vitrine start --upgrade`), or name a folder with --from.";
    throw new AppError("unavailable", message);
  },
};

/** Finds where the running program came from, or takes the folder that the owner names. */
export async function findSource({
  root,
  from,
  paths,
  ...options
}: ToolOptions & {
  root: string;
  from: string | null;
  paths: InstancePaths;
}): Promise<ProgramSource> {
  if (from !== null) return folderSource(from, paths);
  if (basename(dirname(root)) === "node_modules") {
    const text = await readFile(join(root, "package.json"), "utf8");
    return packageSource((JSON.parse(text) as { name: string }).name, root, options);
  }
  if (!(await exists(join(root, ".git")))) return imageSource;
  const remote = await tool("git", ["remote", "get-url", "origin"], {
    ...options,
    cwd: root,
  }).catch(() => "");
  return remote.trim() === "" ? imageSource : cloneSource(root, remote.trim(), options);
}

/**
 * Puts a version into `programs`, complete or not at all. One that is there already stays. Throws
 * `upstream_failed` with the message of git or npm.
 */
export async function fetchProgram(
  source: ProgramSource,
  paths: InstancePaths,
  version: string,
): Promise<string> {
  const dir = join(paths.programs, version);
  await mkdir(paths.programs, { recursive: true, mode: 0o755 });
  // A released version never changes, a folder may.
  if (source.kind === "folder") await removeTree(dir);
  if (await exists(dir)) return dir;
  const part = `${dir}.part`;
  await removeTree(part);
  await source.fetchInto(part, version);
  if (!(await exists(commandOf(part)))) {
    throw new AppError("upstream_failed", `Version ${version} has no command \`vitrine\`.`);
  }
  // All of its files, which git and npm have written without waiting for the disk.
  await run("sync", ["-f", part], { timeoutMs: fetchTimeoutMs }).catch(() => {});
  await rename(part, dir);
  await fsyncFolder(paths.programs);
  return dir;
}
