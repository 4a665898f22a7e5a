import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { checkNodeCleanup } from "../invariants/cleanup.ts";
import { mediaFiles, waitUntilSettled } from "../invariants/check.ts";
import { checkPublishes } from "../invariants/publishes.ts";
import { checkMedia, checkRecords } from "../invariants/records.ts";
import { readStored, type Stored } from "../invariants/stored.ts";
import type { Product } from "../product.ts";
import { until } from "../wait.ts";
import type { Cluster } from "./cluster.ts";

/** What the nodes share in the database. */
interface Shared {
  /** The SHA-256 that each media file must have, by its path in the instance. */
  files: { path: string; blob_name: string }[];
  /** The SHA-256 of the original files in the media library. */
  originals: string[];
  /** Release numbers of different publishes; one that changes no file names the release that is live. */
  releases: number[];
  /** Commits that more than one entry of the changelog names. */
  entries: string[];
  /** Published runs whose entry is missing. */
  withoutEntry: string[];
  /** Resumable uploads that are complete and not processed. */
  uploads: number;
}

async function readShared({ databaseUrl }: Cluster): Promise<Shared> {
  const database = openDatabase({ url: databaseUrl, file: "" });
  const rows = async <T>(text: string) => (await sql.raw<T>(text).execute(database.db)).rows;
  const values = async <T>(text: string) =>
    (await rows<{ value: T }>(text)).map(({ value }) => value);
  try {
    return {
      files: await rows(
        "select path, blob_name from stored_file where path like 'content/app/public/media/%'",
      ),
      originals: await values("select sha256 as value from media"),
      releases: await values(`select release_number as value from publish_intent
        where state = 'done' group by release_number having count(distinct artifact) > 1`),
      entries: await values(`select commit_sha as value from changelog_entry
        where commit_sha is not null group by commit_sha having count(*) > 1`),
      withoutEntry: await values(`select id as value from run where status = 'published'
        and changelog is not null and commit_sha not in
        (select commit_sha from changelog_entry where commit_sha is not null)`),
      uploads: Number(
        (
          await values(
            "select count(*) as value from stored_upload where received = size and ended_at is null",
          )
        )[0],
      ),
    };
  } finally {
    await database.close();
  }
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function checkShared({ uploads }: Cluster, shared: Shared): string[] {
  const originals = new Set(shared.originals);
  return [
    ...[...uploads.files]
      .filter(([hash]) => !originals.has(hash))
      .map(([hash, how]) => `upload ${hash.slice(0, 8)}, sent ${how}, is lost`),
    ...shared.releases.map((number) => `release ${number} is of two publishes`),
    ...shared.entries.map((commit) => `commit ${commit.slice(0, 8)} has two changelog entries`),
    ...shared.withoutEntry.map((run) => `run ${run} has no changelog entry`),
  ];
}

async function checkFiles({ paths }: Product, { files }: Shared): Promise<string[]> {
  const faults: string[] = [];
  for (const { path, blob_name } of files) {
    const bytes = await readFile(join(paths.dir, path)).catch(() => null);
    if (bytes === null) faults.push(`${path} is lost`);
    else if (sha256(bytes) !== blob_name) faults.push(`${path} is torn`);
  }
  return faults;
}

/** Every node serves every preview that is ready. */
async function checkPreviews(node: Product, { journal }: Cluster, { runs }: Stored) {
  const ready = runs.filter(({ status }) => status === "preview_ready").slice(-3);
  const faults: string[] = [];
  for (const { id } of ready) {
    const headers = { cookie: journal.session };
    const { status } = await fetch(`${node.baseUrl}/_preview/${id}/`, { headers });
    if (status !== 200) faults.push(`the preview of ${id} answers ${status}`);
  }
  return faults;
}

async function checkNode(cluster: Cluster, node: Product, shared: Shared): Promise<string[]> {
  const stored = await readStored(node);
  const files = (await mediaFiles(node)).filter((src) => !cluster.ignoredFiles.has(src));
  const faults = [
    ...(await checkMedia(node, stored, files)),
    ...(await checkPublishes(node, cluster.journal, stored)),
    ...(await checkNodeCleanup(node, stored)),
    ...(await checkFiles(node, shared)),
    ...(await checkPreviews(node, cluster, stored)),
  ];
  return faults.map((fault) => `${node.root.split("/").at(-1)}: ${fault}`);
}

async function violations(cluster: Cluster): Promise<string[]> {
  const { nodes, journal } = cluster;
  const [first] = nodes;
  if (first === undefined) throw new Error("There are no nodes.");
  const shared = await readShared(cluster);
  const found = [
    ...checkRecords(journal, await readStored(first)),
    ...checkShared(cluster, shared),
  ];
  for (const node of nodes) found.push(...(await checkNode(cluster, node, shared)));
  return found;
}

/** All nodes have the same commit and the same release. */
async function waitUntilSame({ nodes }: Cluster): Promise<void> {
  await until("the same commit and release on all nodes", async () => {
    const states = await Promise.all(
      nodes.map(async (node) => {
        const { current } = await readStored(node);
        return `${await node.git("rev-parse", "main")} ${current}`;
      }),
    );
    if (new Set(states).size === 1) return true;
    throw new Error(states.join("; "));
  });
}

/** Cleanup after a response takes time, so a violation counts only if it lasts this long, in ms. */
const tidyMs = 30_000;

/**
 * Waits until nobody works on anything, and gives everything that is lost, torn, or there twice, each in
 * one sentence. Throws if the nodes don't come to rest.
 */
export async function checkCluster(cluster: Cluster): Promise<string[]> {
  await Promise.all(cluster.nodes.map((node) => node.ready(300_000)));
  for (const node of cluster.nodes) await waitUntilSettled(node);
  await until("no upload in progress", async () => (await readShared(cluster)).uploads === 0, {
    timeoutMs: 240_000,
    everyMs: 500,
  });
  await waitUntilSame(cluster);
  const deadline = performance.now() + tidyMs;
  for (;;) {
    const found = await violations(cluster);
    if (found.length === 0 || performance.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
