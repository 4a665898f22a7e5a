import { checkInvariants, waitUntilSettled } from "./invariants/check.ts";
import { ageTemporaryFiles, checkSwept } from "./invariants/cleanup.ts";
import type { FaultContext, FaultKind } from "./kinds/fault.ts";
import { faultKinds } from "./kinds/kinds.ts";
import { mixedLoad, startLoad } from "./load/load.ts";
import { type Random, seededRandom } from "./random.ts";
import type { Site } from "./site.ts";
import { delay } from "./wait.ts";

export interface CampaignOptions {
  /** How long rounds begin, in s; the last one comes to its end. */
  seconds: number;
  /** At most so many rounds. */
  rounds: number;
  /** Of the first round; each further one has the next. */
  seed: number;
  /** Names of the kinds of fault. */
  kinds: readonly string[];
  /** Aborted when no further round is to begin. */
  signal: AbortSignal;
  /** Says what happens, a line each. */
  log(line: string): void;
}

/** What one round came to. */
export interface Round {
  kind: string;
  seed: number;
  what: string;
  /** From the end of the fault to a health that is ok, in ms. */
  recoveryMs: number;
  violations: string[];
}

export interface Campaign {
  rounds: Round[];
  /** Kinds that could not be made here, with the reason. */
  skipped: Map<string, string>;
  /** What the last sweep has left. */
  swept: string[];
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Longer than any recovery: a machine with two cores and much to do takes its time, in ms. */
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
  // A long run would else keep each request that the model was ever sent.
  model.requests.length = 0;
  return round;
}

/** After all rounds: what a dead process may leave for an hour has to go at the next start. */
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

/** Kinds in turn, each time in another order. */
function* rotation(kinds: readonly string[], random: Random): Generator<string> {
  for (;;) yield* random.shuffle(kinds);
}

/** Makes one fault after the other under a mixed load and looks, after each, at all that must hold. */
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
    // What is broken stays so: the rounds after it would tell of the same.
    if (round.violations.length > 0) break;
  }
  if (campaign.rounds.every(({ violations }) => violations.length === 0)) {
    campaign.swept = await checkLastSweep(site);
  }
  return campaign;
}
