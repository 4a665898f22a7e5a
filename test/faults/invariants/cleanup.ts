import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { spareName } from "../../../packages/server/src/features/release/spare-release.ts";
import type { ProductProcess } from "../processes.ts";
import type { Product } from "../product.ts";
import type { Stored } from "./stored.ts";

const list = (path: string) => readdir(path).catch(() => []);

/** Names of artifacts and of artifacts in progress, next to `.lock`, `.store`, and similar. */
const unfinished = /^\.(new|gone)-|\.tmp$/;

/** Unneeded workspaces, and unused artifacts beyond those kept (abuse 68, 84). */
async function checkFolders({ paths }: Product, stored: Stored, keep: number): Promise<string[]> {
  const runs = new Map(stored.runs.map((row) => [row.id, row]));
  const needsFiles = (id: string) =>
    ["preview_ready", "interrupted"].includes(runs.get(id)?.status ?? "");
  const workspaces = (await list(paths.workspaces)).filter((name) => !needsFiles(name));
  const names = await list(paths.artifacts);
  const artifacts = names.filter((name) => /^[0-9a-f]{64}$/.test(name));
  const manifests = new Set(names.filter((name) => name.endsWith(".json")));
  const halves = artifacts.filter((sha) => !manifests.has(`${sha}.json`));
  const needed = stored.runs
    .filter(({ status, artifact_sha }) => status === "preview_ready" && artifact_sha !== null)
    .map(({ artifact_sha }) => artifact_sha as string);
  const inUse = new Set([...needed, ...stored.membersArtifacts]);
  const surplus = artifacts.filter((sha) => !inUse.has(sha)).length;
  return [
    ...workspaces.map(
      (name) => `workspace ${name} is left of a run that is ${runs.get(name)?.status}`,
    ),
    ...halves.map((sha) => `artifact ${sha} has no manifest`),
    ...(surplus > keep ? [`${surplus} artifacts are kept, ${keep} at most should be`] : []),
  ];
}

async function checkReleases({ paths }: Product, stored: Stored, keep: number): Promise<string[]> {
  const numbers = stored.releases.filter((name) => /^\d+$/.test(name));
  const halves = numbers.filter((name) => !stored.releases.includes(`${name}.json`));
  const data = await list(paths.data);
  return [
    ...(numbers.length > keep
      ? [`${numbers.length} releases are kept, ${keep} at most should be`]
      : []),
    ...halves.map((name) => `release ${name} has no manifest`),
    ...[...stored.releases, ...data]
      .filter((name) => /^\.(staging|current)/.test(name) && name !== spareName)
      .map((name) => `${name} is left of a publish`),
  ];
}

const pidOf = (name: string) => Number(name.split("-")[0]);

/** Slots of builders and runners without a process (abuse 74, 75). */
async function checkSlots(
  { paths }: Product,
  processes: readonly ProductProcess[],
): Promise<string[]> {
  const alive = new Set(processes.map(({ pid }) => pid));
  const slots = (await list(paths.builders)).filter((name) => !alive.has(pidOf(name)));
  const videos = (await list(join(paths.data, "films"))).filter((name) => /^\d+-/.test(name));
  return [
    ...slots.map((name) => `builder slot ${name} belongs to no process`),
    ...videos
      .filter((name) => !alive.has(pidOf(name)))
      .map((name) => `video slot ${name} belongs to no process`),
  ];
}

/** Runner locks without a runner (abuse 75). */
async function checkRunnerLocks({ paths }: Product): Promise<string[]> {
  const runners = (await list(paths.runners)).filter((name) => !name.includes("-journal"));
  return runners.length > 1 ? [`${runners.length} runner locks are there for one runner`] : [];
}

/** Previews whose artifact is gone. */
async function checkPreviews({ paths }: Product, stored: Stored): Promise<string[]> {
  const names = new Set(await list(paths.artifacts));
  return stored.runs
    .filter(({ status, artifact_sha: sha }) => status === "preview_ready" && sha !== null)
    .filter(({ artifact_sha: sha }) => !names.has(sha ?? ""))
    .map(({ artifact_sha: sha }) => `artifact ${sha} of a preview is lost`);
}

/** Orphaned processes, and several processes of a kind that should exist once. */
function checkProcesses(processes: readonly ProductProcess[]): string[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const supervisors = processes.filter(({ kind }) => kind === "supervisor");
  const orphans = processes.filter(
    ({ parent, kind }) => kind !== "supervisor" && !pids.has(parent),
  );
  const count = (kind: string) => processes.filter((one) => one.kind === kind).length;
  return [
    ...orphans.map(
      ({ pid, kind, command }) =>
        `process ${pid} (${kind}) has outlived its parent: ${command.replaceAll("\0", " ").slice(0, 120)}`,
    ),
    ...(supervisors.length === 1 ? [] : [`${supervisors.length} supervisors run`]),
    ...["web", "runner"]
      .filter((kind) => count(kind) !== 1)
      .map((kind) => `${count(kind)} processes are ${kind}`),
    ...["QA engine", "ffmpeg", "chromium"]
      .filter((kind) => count(kind) > 0)
      .map((kind) => `${count(kind)} ${kind} processes are at work for nobody`),
  ];
}

/** Files that no sweep has to wait for any more: all that a start would leave for up to a day is aged. */
async function ageUnfinished(folder: string, which = unfinished): Promise<void> {
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of await list(folder)) {
    if (which.test(name)) await utimes(join(folder, name), longAgo, longAgo).catch(() => {});
  }
}

/** Before the last start of a run: what is kept for an hour or a day in case somebody is at it, is old now. */
export async function ageTemporaryFiles({ paths, root }: Product): Promise<void> {
  await ageUnfinished(paths.artifacts);
  await ageUnfinished(join(paths.artifacts, ".store"));
  await ageUnfinished(paths.releases);
  await ageUnfinished(join(root, "tmp"), /^vitrine-/);
}

/** Files that a cleanup should have removed, after `ageTemporaryFiles` and a start. */
export async function checkSwept({ paths, root }: Product, since: number): Promise<string[]> {
  const names = [...(await list(paths.artifacts)), ...(await list(paths.releases))];
  const temporary: string[] = [];
  for (const name of await list(join(root, "tmp"))) {
    const info = await stat(join(root, "tmp", name)).catch(() => null);
    if (info !== null && info.mtimeMs < since) temporary.push(name);
  }
  return [
    ...names.filter((name) => unfinished.test(name)).map((name) => `${name} was not swept`),
    ...temporary.map((name) => `temporary file ${name} is left`),
  ];
}

/** The numbers of artifacts and releases to keep, from vitrine.json (`limits.keep`). */
export const retention = { artifacts: 10, releases: 10 } as const;

/**
 * Nothing remains of stopped or killed work on a node. What it lacks of the artifacts of previews is in the
 * object store; the lock of a runner whose row another node has removed goes when the next one starts.
 */
export async function checkNodeCleanup(product: Product, stored: Stored): Promise<string[]> {
  const processes = await product.processes();
  return [
    ...(await checkFolders(product, stored, retention.artifacts)),
    ...(await checkReleases(product, stored, retention.releases)),
    ...(await checkSlots(product, processes)),
    ...checkProcesses(processes),
  ];
}

/** Nothing remains of stopped or killed work, and nothing is lost. */
export async function checkCleanup(product: Product, stored: Stored): Promise<string[]> {
  return [
    ...(await checkNodeCleanup(product, stored)),
    ...(await checkRunnerLocks(product)),
    ...(await checkPreviews(product, stored)),
  ];
}
