import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import type { Config } from "../../platform/config.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { databaseLocation } from "../../platform/db/dump.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import { exists } from "../../platform/files.ts";
import { run } from "../../platform/process.ts";
import { keyFiles, loadKeys, insecureKeyFiles } from "../../platform/secrets.ts";
import {
  findTool,
  installCommand,
  missingTools,
  systemTools,
} from "../../platform/system-tools.ts";
import type { MemoryBoundKind } from "vitrine-qa/src/system/memory.ts";
import { isInstalled } from "./lock.ts";
import type { Repair } from "./repair.ts";

/** A result of the doctor; `fix` says what to do about it. */
export interface Diagnosis {
  name: string;
  status: "ok" | "warning" | "failed";
  message: string;
  fix?: string;
}

export interface DoctorRequest {
  config: Config;
  /** Determines by trying how builds are contained. */
  probeSandbox(): Promise<{ tier: string; reason: string | null; memory: MemoryBoundKind }>;
  /** Returns the commit of the content repository; throws if it is damaged. */
  checkRepository(): Promise<string>;
  /** What `doctor --fix` can fix. */
  repairs: readonly Repair[];
}

type Check = (request: DoctorRequest) => Promise<Diagnosis[]>;

/** The requirement in package.json, as [major, minor]. */
export const minNodeVersion = [24, 15] as const;
const lowDiskBytes = 1024 ** 3;

const fixCommand = "vitrine doctor --fix";

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function checkNode(): Promise<Diagnosis[]> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [needMajor, needMinor] = minNodeVersion;
  const fits = major > needMajor || (major === needMajor && minor >= needMinor);
  const message = `${process.versions.node} (${process.execPath})`;
  if (fits) return [{ name: "node", status: "ok", message }];
  const fix = `Use Node ${needMajor}.${needMinor} or later. In the repository, npm ci installs it.`;
  return [{ name: "node", status: "failed", message, fix }];
}

async function checkTools(): Promise<Diagnosis[]> {
  // What only the tests need is no concern of an instance.
  const needed = systemTools.filter(({ need }) => need === "start");
  const missing = await missingTools(needed);
  return Promise.all(
    needed.map(async (tool): Promise<Diagnosis> => {
      const name = `tool: ${tool.name}`;
      if (!missing.includes(tool)) {
        return { name, status: "ok", message: (await findTool(tool)) ?? "" };
      }
      const message = `missing: it ${tool.purpose}`;
      const status = tool.name === "git" ? "failed" : "warning";
      return { name, status, message, fix: installCommand(missing) };
    }),
  );
}

/** The first version that can merge without a work tree (git merge-tree --write-tree). */
const minGitVersion = [2, 38] as const;

async function checkGit(): Promise<Diagnosis[]> {
  const { stdout } = await run("git", ["--version"]);
  const version = /\d+\.\d+[\d.]*/.exec(stdout)?.[0] ?? "unknown";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor, needMinor] = minGitVersion;
  const fits = major > needMajor || (major === needMajor && minor >= needMinor);
  if (fits) return [{ name: "git", status: "ok", message: version }];
  const fix = `Install git ${needMajor}.${needMinor} or later.`;
  return [{ name: "git", status: "failed", message: version, fix }];
}

/** What limits the memory of builds, with the name used elsewhere. */
const memoryMessages: Record<MemoryBoundKind, string> = {
  "cgroup v1": "The kernel limits builds (cgroup v1).",
  "cgroup v2": "The kernel limits builds (cgroup v2).",
  watched: "Vitrine watches the memory of builds, because it has no cgroup here.",
};

async function checkSandbox({ probeSandbox }: DoctorRequest): Promise<Diagnosis[]> {
  const { tier, reason, memory } = await probeSandbox();
  const bound: Diagnosis = { name: "memory", status: "ok", message: memoryMessages[memory] };
  if (reason === null) return [{ name: "sandbox", status: "ok", message: tier }, bound];
  const message = `Containment: ${tier}. ${reason} Builds aren't sandboxed, so every task waits for review.`;
  return [{ name: "sandbox", status: "warning", message }, bound];
}

async function checkDatabase({ config }: DoctorRequest): Promise<Diagnosis[]> {
  let database: Database | null = null;
  try {
    database = openDatabase({ url: config.databaseUrl, file: config.paths.database });
    await sql`select 1`.execute(database.db);
    await assertMigrated(database);
    const { databaseUrl: url } = config;
    const place =
      url === null ? database.dialect : `${database.dialect} at ${databaseLocation(url)}`;
    const message = `${place}, migrated`;
    if (!config.isDatabaseUrlLeft) return [{ name: "database", status: "ok", message }];
    const left = "DATABASE_URL leads to a database that the records were moved from; it is ignored";
    const fix = "Remove DATABASE_URL where Vitrine and its commands are started.";
    return [{ name: "database", status: "warning", message: `${message}. ${left}`, fix }];
  } catch (error) {
    return [{ name: "database", status: "failed", message: reasonOf(error) }];
  } finally {
    await database?.close();
  }
}

async function checkKeys({ config }: DoctorRequest): Promise<Diagnosis[]> {
  const { keys } = config.paths;
  await loadKeys(keys);
  const loose = await insecureKeyFiles(keys);
  if (loose.length === 0) {
    return [{ name: "keys", status: "ok", message: `${Object.keys(keyFiles).length} files, 0600` }];
  }
  const message = `${loose.join(", ")} can be read by others`;
  return [{ name: "keys", status: "failed", message, fix: fixCommand }];
}

async function checkDisk({ config }: DoctorRequest): Promise<Diagnosis[]> {
  const { bavail, bsize } = await statfs(config.dir);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return [{ name: "disk", status: free < lowDiskBytes ? "warning" : "ok", message }];
}

async function checkContent({ checkRepository }: DoctorRequest): Promise<Diagnosis[]> {
  return [{ name: "content", status: "ok", message: `main at ${await checkRepository()}` }];
}

async function checkSite({ config }: DoctorRequest): Promise<Diagnosis[]> {
  if (await exists(config.paths.current)) {
    return [{ name: "site", status: "ok", message: "a release is current" }];
  }
  return [{ name: "site", status: "failed", message: "no release is current" }];
}

/** What else could be fixed; the checks above name missing tools. */
async function checkRepairs({ repairs }: DoctorRequest): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const { name, find } of repairs.filter((repair) => repair.name !== "tools")) {
    const problems = await find().catch((error: unknown) => [reasonOf(error)]);
    if (problems.length === 0) continue;
    found.push({ name, status: "warning", message: problems.join(" "), fix: fixCommand });
  }
  return found;
}

async function diagnose(name: string, check: Check, request: DoctorRequest): Promise<Diagnosis[]> {
  try {
    return await check(request);
  } catch (error) {
    return [{ name, status: "failed", message: reasonOf(error) }];
  }
}

/** Checks the machine and, if installed, the instance. Changes nothing. */
export async function runDiagnostics(request: DoctorRequest): Promise<Diagnosis[]> {
  const machine: [string, Check][] = [
    ["node", checkNode],
    ["tools", checkTools],
    ["git", checkGit],
    ["sandbox", checkSandbox],
  ];
  const instance: [string, Check][] = [
    ["database", checkDatabase],
    ["keys", checkKeys],
    ["disk", checkDisk],
    ["content", checkContent],
    ["site", checkSite],
    ["repairs", checkRepairs],
  ];
  const installed = await isInstalled(request.config.paths);
  const checks = installed ? [...machine, ...instance] : machine;
  const found: Diagnosis[] = [
    {
      name: "instance",
      status: installed ? "ok" : "warning",
      message: installed ? request.config.dir : `nothing is installed in ${request.config.dir}`,
      ...(installed ? {} : { fix: "vitrine install" }),
    },
  ];
  for (const [name, check] of checks) found.push(...(await diagnose(name, check, request)));
  return found;
}
