import { parentPort, workerData } from "node:worker_threads";
import type { PrivateText } from "../../../kit/private-text.ts";
import { readManifest } from "../artifact/artifact.ts";
import { compareSites, type PrivateComparison } from "./compare-sites.ts";
import { makeMatcher } from "./matcher.ts";
import { isStoredMedia, type MediaAnswers } from "./stored-media.ts";

/** The thread's initial input. */
export interface CompareWorkerInput {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  /** The stored media, which sites have below media/. */
  mediaDir: string;
  /** Maximum letters of private texts to compare; by default as many as a matcher allows. */
  maxLetters?: number;
}

/** Messages to it: batches of private texts, the end of them, and the public ones if it asks. */
export type ToComparer =
  | { kind: "private"; texts: readonly PrivateText[] }
  | { kind: "compare" }
  | { kind: "public"; texts: readonly string[] };

/** The result, and what it depends on besides the two manifests and the texts. */
export interface ComparedSites {
  result: PrivateComparison;
  media: MediaAnswers;
  /** Whether every file had the bytes that its manifest names. */
  isIntact: boolean;
}

/** Its messages: a batch was added; it needs the public texts; finally, the result. */
export type FromComparer =
  | { kind: "taken" }
  | { kind: "found" }
  | ({ kind: "done" } & ComparedSites);

async function open(dir: string) {
  return { dir, manifest: await readManifest(`${dir}.json`) };
}

function listen(port: NonNullable<typeof parentPort>): void {
  const {
    artifactDir,
    liveDir,
    mediaDir,
    maxLetters: letterLimit,
  } = workerData as CompareWorkerInput;
  const matcher = makeMatcher(letterLimit);
  let isFull = false;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const say = (message: FromComparer) => port.postMessage(message);

  const given = Promise.withResolvers<readonly string[]>();
  const publicTexts = () => {
    say({ kind: "found" });
    return given.promise;
  };

  async function compare(): Promise<void> {
    const next = await open(artifactDir);
    const live = liveDir === null ? null : await open(liveDir);
    const incompleteReason = isFull ? "There are more private texts than can be compared." : null;
    const media = new Map<string, boolean>();
    let isIntact = true;
    const result = await compareSites({
      next,
      live,
      matcher,
      publicTexts,
      incompleteReason,
      onDamaged: () => (isIntact = false),
      isStoredMedia(file) {
        if (!file.startsWith("media/")) return false;
        const isStored = media.get(file) ?? isStoredMedia(mediaDir, file);
        media.set(file, isStored);
        return isStored;
      },
    });
    say({ kind: "done", result, media, isIntact });
  }

  port.on("message", (message: ToComparer) => {
    if (message.kind === "compare") return void compare();
    if (message.kind === "public") return given.resolve(message.texts);
    for (const text of message.texts) isFull = !matcher.addText(text) || isFull;
    say({ kind: "taken" });
  });
}

if (parentPort) listen(parentPort);
