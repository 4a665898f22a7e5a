import type { Asker, Seeds } from "./probes.ts";

/** Reads robots.txt and the sitemaps of the site at `start`. */
export async function readSeeds(_asker: Asker, _start: string): Promise<Seeds> {
  throw new Error("not yet");
}
