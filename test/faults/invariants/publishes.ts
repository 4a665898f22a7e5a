import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../../../packages/server/src/features/release/artifact/artifact.ts";
import type { Journal } from "../journal.ts";
import { pairPaths } from "../model.ts";
import type { Product } from "../product.ts";
import type { Stored } from "./stored.ts";

/** Each published row has its commit and release, and each commit of a run its row (abuse 84, 85). */
function checkRows(journal: Journal, stored: Stored): string[] {
  const faults: string[] = [];
  const shas = new Set(stored.commits.map(({ sha }) => sha));
  const intents = new Map(stored.intents.map((row) => [row.run_id, row]));
  const runs = new Map(stored.runs.map((row) => [row.id, row]));
  for (const { run_id, state, commit_sha, release_number } of stored.intents) {
    if (state !== "done") faults.push(`publish of ${run_id} is ${state}`);
    else if (commit_sha !== null && !shas.has(commit_sha)) {
      faults.push(`publish of ${run_id} names a commit that main doesn't have`);
    } else if (release_number === null || release_number > stored.current) {
      faults.push(
        `publish of ${run_id} names release ${release_number}, live is ${stored.current}`,
      );
    }
  }
  for (const { id, status } of stored.runs) {
    if (status === "published" && !intents.has(id)) faults.push(`run ${id} has no publish`);
    if (status !== "published" && intents.has(id))
      faults.push(`run ${id} is ${status} and published`);
  }
  const seen = new Set<string>();
  for (const { sha, run } of stored.commits) {
    if (run === "") continue;
    if (seen.has(run)) faults.push(`run ${run} has two commits`);
    seen.add(run);
    if (!intents.has(run))
      faults.push(`commit ${sha.slice(0, 8)} is of ${run}, which has no publish`);
  }
  for (const { runId } of journal.publishes) {
    if (runs.get(runId)?.status !== "published") {
      faults.push(`run ${runId} was published and is ${runs.get(runId)?.status ?? "lost"}`);
    }
  }
  return faults;
}

/** Each task ran once or not at all (abuse 86, 87). */
function checkTasks(stored: Stored): string[] {
  const commits = new Map<string, number>();
  for (const { task } of stored.commits) {
    if (task !== "") commits.set(task, (commits.get(task) ?? 0) + 1);
  }
  const ends = new Map(stored.taskEnds.map((row) => [row.task_id, Number(row.ends)]));
  return stored.tasks.flatMap(({ id, status }) => {
    const made = commits.get(String(id)) ?? 0;
    const ended = ends.get(id) ?? 0;
    const expected = status === "published" ? 1 : 0;
    return made === expected && ended === expected
      ? []
      : [`task ${id} is ${status}, with ${made} commits and ${ended} publishes`];
  });
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** The live release is complete, byte for byte (abuse 84, 107). */
async function checkRelease({ paths }: Product, stored: Stored): Promise<string[]> {
  const folder = join(paths.releases, String(stored.current));
  const manifest = await readManifest(`${folder}.json`).catch(() => null);
  if (manifest === null) return [`release ${stored.current} has no manifest`];
  const faults: string[] = [];
  for (const { file, hash } of Object.values(manifest.files)) {
    const bytes = await readFile(join(folder, file)).catch(() => null);
    if (bytes === null) faults.push(`release ${stored.current} lacks ${file}`);
    else if (sha256(bytes) !== hash) faults.push(`release ${stored.current}: ${file} is damaged`);
  }
  return faults;
}

/** Of the two files that a run writes, both are live or neither; of a published one, both. */
async function checkPairs({ paths, git }: Product, journal: Journal): Promise<string[]> {
  const listed = await git("ls-tree", "-r", "--name-only", "main", "app/public/marks/");
  const committed = new Set(listed.split("\n").filter((path) => path !== ""));
  const manifest = await readManifest(`${await realpath(paths.current)}.json`);
  const live = new Set(Object.keys(manifest.files));
  const isLive = (path: string) => live.has(path.slice("app/public".length));
  const published = new Set(journal.publishes.map(({ mark }) => mark));
  const marks = new Set([...committed].map((path) => /marks\/(\w+)-/.exec(path)?.[1] ?? ""));
  const faults: string[] = [];
  for (const mark of new Set([...marks, ...published])) {
    const inMain = pairPaths(mark).filter((path) => committed.has(path)).length;
    const onSite = pairPaths(mark).filter(isLive).length;
    if (inMain !== 2 || onSite !== 2) {
      faults.push(`change ${mark}: ${inMain} of 2 files on main, ${onSite} of 2 live`);
    }
  }
  return faults;
}

async function checkRepository({ git }: Product, stored: Stored): Promise<string[]> {
  const [status, fsck, trees] = await Promise.all([
    git("status", "--porcelain"),
    git("fsck", "--full", "--no-dangling").catch((error: Error) => error.message),
    git("worktree", "list", "--porcelain"),
  ]);
  const names = [...trees.matchAll(/^worktree (.*)$/gm)].slice(1).map(([, path = ""]) => path);
  const runs = new Map(stored.runs.map((row) => [row.id, row.status]));
  const kept = new Set(["preview_ready", "interrupted"]);
  const stale = names.filter((path) => !kept.has(runs.get(path.split("/").at(-1) ?? "") ?? ""));
  return [
    ...(status === "" ? [] : [`content has changes: ${status.trim().slice(0, 200)}`]),
    ...(/error|missing|corrupt|fatal|broken/.test(fsck) ? [`git fsck: ${fsck.slice(0, 200)}`] : []),
    ...stale.map((path) => `worktree ${path} belongs to no run that needs it`),
  ];
}

/** Database, repository and site agree. */
export async function checkPublishes(
  product: Product,
  journal: Journal,
  stored: Stored,
): Promise<string[]> {
  return [
    ...checkRows(journal, stored),
    ...checkTasks(stored),
    ...(await checkRelease(product, stored)),
    ...(await checkPairs(product, journal)),
    ...(await checkRepository(product, stored)),
  ];
}
