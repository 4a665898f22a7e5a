import { checkInvariants, waitUntilSettled } from "./invariants/check.ts";
import { ageTemporaryFiles, checkSwept } from "./invariants/cleanup.ts";
import type { FaultContext, FaultKind } from "./kinds/fault.ts";
import { faultKinds } from "./kinds/kinds.ts";
import { mixedLoad, startLoad } from "./load/load.ts";
import { type Random, seededRandom } from "./random.ts";
import type { Site } from "./site.ts";
import { delay } from "./wait.ts";

export interface CampaignOptions {
  /** The time during which rounds start, in seconds; the last one finishes. */
  seconds: number;
  /** The maximum number of rounds. */
  rounds: number;
  /** The seed of the first round; each further round has the next one. */
  seed: number;
  /** The names of the kinds of faults. */
  kinds: readonly string[];
  /** Aborted when no further round should start. */
  signal: AbortSignal;
  /** Reports progress, one line at a time. */
  log(line: string): void;
}

/** The result of one round. */
export interface Round {
  kind: string;
  seed: number;
  what: string;
  /** The time from the end of the fault until health is ok, in ms. */
  recoveryMs: number;
  violations: string[];
}

export interface Campaign {
  rounds: Round[];
  /** Kinds that aren't possible here, with the reason. */
  skipped: Map<string, string>;
  /** What the last cleanup left behind. */
  swept: string[];
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Longer than any recovery, even on a busy machine with two cores, in ms. */
const recoveryMs = 180_000;

async function playRound(site: Site, kind: FaultKind, random: Random) {
  const { product, journal } = site;
  const context: FaultContext = { ...site, random: random.fork("fault") };
  await kind.prepare?.(context);
  const load = startLoad(mixedLoad, { ...site, random: random.fork("load") });
  let what = "";
  let endedAt = 0;
  try {
    await delay(context.random.int(500, 4000));
    what = await kind.inject(context);
    endedAt = performance.now();
    await delay(context.random.int(0, 2000));
  } finally {
    await load.stop();
    journal.tolerant = false;
  }
  await product.ready(recoveryMs);
  const tookMs = Math.round(performance.now() - endedAt);
  await kind.restore?.(context);
  await waitUntilSettled(product);
  return { what, recoveryMs: tookMs };
}

async function oneRound(site: Site, name: string, seed: number): Promise<Round> {
  const { product, journal, model, ignoredFiles } = site;
  const kind = faultKinds[name];
  if (kind === undefined) throw new Error(`There is no fault ${name}.`);
  const round: Round = { kind: name, seed, what: "", recoveryMs: 0, violations: [] };
  try {
    Object.assign(round, await playRound(site, kind, seededRandom(seed)));
    round.violations = await checkInvariants(product, journal, ignoredFiles);
  } catch (error) {
    round.violations.push(messageOf(error));
  }
  // Otherwise, a long run would keep every request to the model.
  model.requests.length = 0;
  return round;
}

/** After all rounds: the next start has to remove what a dead process may leave for an hour. */
async function checkLastSweep(site: Site): Promise<string[]> {
  const { product, journal, ignoredFiles } = site;
  try {
    await product.stop();
    await ageTemporaryFiles(product);
    const since = Date.now();
    await product.ready(recoveryMs);
    await waitUntilSettled(product);
    return [
      ...(await checkInvariants(product, journal, ignoredFiles)),
      ...(await checkSwept(product, since)),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** All kinds in turn, in a different order each time. */
function* rotation(kinds: readonly string[], random: Random): Generator<string> {
  for (;;) yield* random.shuffle(kinds);
}

/** Injects one fault after another under a mixed load and checks all invariants after each. */
export async function runCampaign(site: Site, options: CampaignOptions): Promise<Campaign> {
  const { seconds, rounds: maxRounds, seed, kinds, signal, log } = options;
  const campaign: Campaign = { rounds: [], skipped: new Map(), swept: [] };
  const context: FaultContext = { ...site, random: seededRandom(seed) };
  for (const name of kinds) {
    const why = faultKinds[name]?.unavailable(context) ?? null;
    if (why !== null) campaign.skipped.set(name, why);
  }
  const possible = kinds.filter((name) => !campaign.skipped.has(name));
  if (possible.length === 0) return campaign;
  const until = performance.now() + seconds * 1000;
  for (const name of rotation(possible, context.random)) {
    const { length } = campaign.rounds;
    if (length >= maxRounds || performance.now() > until || signal.aborted) break;
    const round = await oneRound(site, name, seed + length);
    campaign.rounds.push(round);
    log(
      `${name}, seed ${round.seed}: ${round.what || "no end"}; well after ${round.recoveryMs} ms`,
    );
    for (const violation of round.violations) log(`  VIOLATION: ${violation}`);
    // A violation persists, so later rounds would report it again.
    if (round.violations.length > 0) break;
  }
  if (campaign.rounds.every(({ violations }) => violations.length === 0)) {
    campaign.swept = await checkLastSweep(site);
  }
  return campaign;
}
