import { messages, signInAdmin } from "../load/visitors.ts";
import type { Actor } from "../load/actor.ts";
import { consoleRuns, tasks } from "../load/changes.ts";
import { startLoad } from "../load/load.ts";
import { projects } from "../load/records.ts";
import { seededRandom } from "../random.ts";
import { delay, until } from "../wait.ts";
import { balanced, type Cluster } from "./cluster.ts";
import { checkCluster } from "./check.ts";
import { type KillKind, killKinds, makeKiller } from "./kills.ts";
import { makeFormUploads, makeResumableUploads } from "./uploads.ts";
import { makeMediaReaders, makeVisitors } from "./visitors.ts";

export interface NodesCampaignOptions {
  /** How many processes and nodes to kill. */
  kills: number;
  /** After how many of them everything is checked. */
  killsPerCheck: number;
  seed: number;
  /** The time between two kills in ms, at most. */
  maxPauseMs: number;
  /** No further kill starts after this time in s. */
  seconds: number;
  log(line: string): void;
}

export interface NodesCampaign {
  kills: Record<KillKind, number>;
  checks: number;
  /** Everything that was lost, torn, or there twice. */
  violations: string[];
}

/** The share of kills that come without waiting for the load, so soon after the last one. */
const hasty = 0.3;

/** How long the load continues after the last kill of a round, in ms. */
const quietMs = 15_000;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** How many nodes answer that all is well. */
async function countWell({ nodes }: Cluster): Promise<number> {
  const states = await Promise.all(
    nodes.map((node) =>
      node.health().then(
        ({ status }) => status === "ok",
        () => false,
      ),
    ),
  );
  return states.filter(Boolean).length;
}

/**
 * Waits until the load has published something since `before`, or for a minute: where kills follow each
 * other faster than the machine starts processes, nothing would ever be acknowledged that could be lost.
 */
async function awaitPublish({ journal }: Cluster, before: number): Promise<void> {
  await until("a publish", () => journal.publishes.length > before, {
    timeoutMs: 60_000,
    everyMs: 250,
  }).catch(() => {});
}

/** On a busy machine, a node needs long to come back; without any, nothing would be acknowledged. */
async function awaitTwoNodes(cluster: Cluster): Promise<void> {
  await until("two nodes", async () => (await countWell(cluster)) >= 2, {
    timeoutMs: 60_000,
    everyMs: 500,
  }).catch(() => {});
}

function actorsOf(cluster: Cluster): Record<string, Actor> {
  return {
    visitors: makeVisitors(cluster),
    "more visitors": makeVisitors(cluster),
    "image readers": makeMediaReaders(cluster),
    messages,
    projects,
    "form uploads": makeFormUploads(cluster),
    "resumable uploads": makeResumableUploads(cluster),
    "console runs": consoleRuns,
    "more console runs": consoleRuns,
    tasks,
  };
}

/** Kills processes and nodes at random under a mixed load, and checks everything in between. */
export async function runNodesCampaign(
  cluster: Cluster,
  options: NodesCampaignOptions,
): Promise<NodesCampaign> {
  const { kills, killsPerCheck, seed, maxPauseMs, seconds, log } = options;
  const { journal, token, nodes, model } = cluster;
  const random = seededRandom(seed);
  const product = balanced(cluster, random.fork("balancer"));
  const killer = makeKiller(cluster, random.fork("kills"));
  const actors = actorsOf(cluster);
  const counts = Object.fromEntries(killKinds.map((kind) => [kind, 0])) as Record<KillKind, number>;
  const campaign: NodesCampaign = { kills: counts, checks: 0, violations: [] };
  const killed = () => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const deadline = performance.now() + seconds * 1000;
  const isLeft = () => killed() < kills && performance.now() < deadline;
  const signal = new AbortController().signal;
  await signInAdmin({ product, journal, random, token, signal });

  async function round(): Promise<void> {
    const load = startLoad(actors, {
      product,
      journal,
      token,
      random: random.fork(`load ${campaign.checks}`),
    });
    let published = journal.publishes.length;
    try {
      for (let inRound = 0; inRound < killsPerCheck && isLeft();) {
        if (random.next() >= hasty) await awaitPublish(cluster, published);
        await delay(random.int(200, maxPauseMs));
        for (const node of nodes) await cluster.pages.collect(node);
        await awaitTwoNodes(cluster);
        published = journal.publishes.length;
        const kind = await killer.kill();
        if (kind === null) continue;
        counts[kind] += 1;
        inRound += 1;
      }
      // A change takes longer than the time between two kills.
      await delay(quietMs);
    } finally {
      await load.stop();
    }
    const began = performance.now();
    await killer.settled();
    campaign.violations.push(...(await checkCluster(cluster)));
    log(`at rest and compared after ${Math.round((performance.now() - began) / 1000)} s`);
  }

  while (isLeft() && campaign.violations.length === 0) {
    try {
      await round();
    } catch (error) {
      campaign.violations.push(messageOf(error));
    }
    campaign.checks += 1;
    model.requests.length = 0;
    const parts = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    log(
      `${killed()} kills (${parts.join(", ")}): ${journal.publishes.length} publishes, ` +
        `${cluster.uploads.files.size} uploads; ${campaign.violations.length} violations`,
    );
  }
  return campaign;
}
