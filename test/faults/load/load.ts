import { silentVideo } from "../../support/sounds.ts";
import type { Journal } from "../journal.ts";
import type { Product } from "../product.ts";
import type { Random } from "../random.ts";
import type { Actor } from "./actor.ts";
import { consoleRuns, makeQaRuns, tasks } from "./changes.ts";
import { images, makeVideos, projects } from "./records.ts";
import { accounts, messages, signIns, visitors } from "./visitors.ts";

/** Gives videos of which none is another: `video` with an EBML Void element (RFC 8794) at its end. */
export function makeVideoOf(video: Buffer): (mark: string) => Buffer {
  return (mark) => {
    const text = Buffer.from(mark);
    return Buffer.concat([video, Buffer.from([0xec, 0x80 | text.length]), text]);
  };
}

/** All actors of the load, by the names of their random sequences. */
export const mixedLoad: Readonly<Record<string, Actor>> = {
  visitors,
  "more visitors": visitors,
  messages,
  accounts,
  "sign-ins": signIns,
  projects,
  images,
  videos: makeVideos(makeVideoOf(silentVideo), 8000),
  "console runs": consoleRuns,
  tasks,
  "QA runs": makeQaRuns(60_000),
};

export interface RunningLoad {
  /** Ends the load and waits for all actors. */
  stop(): Promise<void>;
}

/** Starts all actors. */
export function startLoad(
  actors: Readonly<Record<string, Actor>>,
  context: { product: Product; journal: Journal; random: Random; token: string },
): RunningLoad {
  const ending = new AbortController();
  const work = Object.entries(actors).map(([name, actor]) =>
    actor({ ...context, random: context.random.fork(name), signal: ending.signal }),
  );
  return {
    async stop() {
      ending.abort();
      await Promise.all(work);
    },
  };
}
