import type { EngineJob, KnownExternal } from "../engine/job.ts";
import type { Answer, Reference } from "./crawl.ts";
import { isDue, learn, isOutage, occurrencesOf } from "./externals.ts";
import type { Fetcher } from "./fetcher.ts";

export interface StrangersOptions {
  fetcher: Fetcher;
  external: EngineJob["external"];
  known: readonly KnownExternal[];
  /** How many are asked at most. */
  most: number;
  /** In ms. */
  now: number;
  onProgress: (done: number, total: number, at: string) => void;
}

export interface Strangers {
  /** Asks for an address of others, once, if it is due. */
  meet(url: string): void;
  answerOf(url: string): Answer | undefined;
  /** Resolves when all have answered, or when `signal` ends it: the rest counts as not asked. */
  settle(signal: AbortSignal): Promise<void>;
  /** What is known now of all that were met, and which of them were not asked. */
  result(from: (url: string) => readonly Reference[]): {
    answers: Map<string, Answer>;
    known: KnownExternal[];
    kept: string[];
    /** How many were asked in vain, because none at all could be reached: they count as not asked. */
    unreached: number;
  };
}

/** Asks others, many hosts at once, while the site itself is still being read. */
export function makeStrangers(options: StrangersOptions): Strangers {
  const { fetcher, external, now } = options;
  const before = new Map(options.known.map((known) => [known.url, known]));
  const met = new Set<string>();
  const asked = new Map<string, Promise<void>>();
  let answers = new Map<string, Answer>();
  let unreached: readonly Answer[] = [];
  let isOver = false;

  const isWanted = (url: string) =>
    external !== "none" &&
    asked.size < options.most &&
    (external === "all" || isDue(before.get(url), now));

  const ask = async (url: string): Promise<void> => {
    const answer = await fetcher.stranger(url, before.get(url));
    if (isOver || answer.failure?.code === "ABORTED") return;
    answers.set(url, answer);
    options.onProgress(answers.size, asked.size, url);
  };

  return {
    meet(url) {
      if (met.has(url)) return;
      met.add(url);
      if (isWanted(url)) asked.set(url, ask(url));
    },
    answerOf: (url) => answers.get(url),
    async settle(signal) {
      if (!signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const end = () => resolve();
        signal.addEventListener("abort", end, { once: true });
        await Promise.race([Promise.all(asked.values()), promise]);
        signal.removeEventListener("abort", end);
      }
      isOver = true;
      if (!isOutage([...answers.values()])) return;
      unreached = [...answers.values()];
      answers = new Map();
    },
    result(from) {
      const known: KnownExternal[] = [];
      const kept: string[] = [];
      for (const url of met) {
        const answer = answers.get(url);
        const last = before.get(url);
        const references = from(url);
        const places = references.length > 0 ? occurrencesOf(references) : (last?.from ?? []);
        if (answer) known.push(learn(last, answer, now, places));
        else if (last) {
          known.push({ ...last, from: places });
          kept.push(url);
        }
      }
      // Those that are new are kept in mind, to be asked as soon as there is a network.
      for (const answer of unreached.filter(({ url }) => !before.has(url))) {
        const unasked = { ...answer, verdict: "unknown" as const };
        known.push(learn(undefined, unasked, 0, occurrencesOf(from(answer.url))));
      }
      return { answers, known, kept, unreached: unreached.length };
    },
  };
}
