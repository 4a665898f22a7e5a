import { complaints, requestTable } from "../report.ts";
import { table } from "../table.ts";
import { runNodesCampaign } from "./campaign.ts";
import { startCluster } from "./cluster.ts";

export interface NodesSoakOptions {
  /** How many nodes there are. */
  count: number;
  kills: number;
  seed: number;
  /** No further kill starts after this time in s. */
  seconds: number;
}

/** Kills nodes under load and prints the figures; returns the program's exit code. */
export async function reportNodes(
  { count, kills, seed, seconds }: NodesSoakOptions,
  log: (text: string) => void,
): Promise<number> {
  log(`Seed ${seed}, ${count} nodes, ${kills} kills`);
  await using cluster = await startCluster(count);
  const options = { kills, seed, seconds, killsPerCheck: 15, maxPauseMs: 9000 };
  const campaign = await runNodesCampaign(cluster, { ...options, log });
  const { journal, uploads } = cluster;
  log(`\n${table(["Killed", "Times"], Object.entries(campaign.kills))}`);
  log(`\n${requestTable(journal)}`);
  log(`\n${journal.publishes.length} publishes and ${uploads.files.size} present uploads were`);
  log(`acknowledged; everything was compared ${campaign.checks} times.`);
  if (campaign.violations.length === 0) {
    log("0 lost, 0 torn, 0 published twice.");
    return 0;
  }
  for (const violation of campaign.violations) log(`VIOLATION: ${violation}`);
  for (const node of cluster.nodes) log(`\n${node.root}\n${complaints(node.log())}`);
  log(`\nRepeat it: npm run soak -- nodes --nodes ${count} --kills ${kills} --seed ${seed}`);
  return 1;
}
