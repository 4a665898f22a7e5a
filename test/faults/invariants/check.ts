import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "../journal.ts";
import type { Product } from "../product.ts";
import { until } from "../wait.ts";
import { checkCleanup } from "./cleanup.ts";
import { checkPublishes } from "./publishes.ts";
import { checkMedia, checkRecords } from "./records.ts";
import { countUnsettled, readStored } from "./stored.ts";

/** The maximum time for work to finish after the load and the fault have ended, in ms. */
const settleMs = 420_000;

/** Waits until no work is in progress. Throws with the remaining work. */
export async function waitUntilSettled(product: Product, timeoutMs = settleMs): Promise<void> {
  await until(
    "everything at rest",
    async () => {
      const left = Object.entries(await countUnsettled(product)).filter(([, count]) => count > 0);
      if (left.length === 0) return true;
      throw new Error(left.map(([what, count]) => `${count} ${what}`).join(", "));
    },
    { timeoutMs, everyMs: 300 },
  );
}

/** The addresses of all media files of a product. */
export async function mediaFiles({ paths }: Product): Promise<string[]> {
  const folder = join(paths.content, "app/public/media");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `/media${join(entry.parentPath, entry.name).slice(folder.length)}`);
}

/** The media files from before the load, such as those of the sample site. */
export async function filesWithoutRow(product: Product): Promise<ReadonlySet<string>> {
  const stored = await readStored(product);
  const named = new Set(stored.media.map(({ src }) => src));
  return new Set((await mediaFiles(product)).filter((src) => !named.has(src)));
}

async function violations(
  product: Product,
  journal: Journal,
  ignored: ReadonlySet<string>,
): Promise<string[]> {
  const stored = await readStored(product);
  const files = (await mediaFiles(product)).filter((src) => !ignored.has(src));
  return [
    ...checkRecords(journal, stored),
    ...(await checkMedia(product, stored, files)),
    ...(await checkPublishes(product, journal, stored)),
    ...(await checkCleanup(product, stored)),
  ];
}

/** Cleanup after a response takes time, so a violation counts only if it lasts this long, in ms. */
const tidyMs = 20_000;

/**
 * All that must hold when nobody works on anything. Gives each violation in one sentence, after it
 * has stayed for 20 s: what is being tidied up is none.
 */
export async function checkInvariants(
  product: Product,
  journal: Journal,
  ignored: ReadonlySet<string>,
): Promise<string[]> {
  const deadline = performance.now() + tidyMs;
  for (;;) {
    const found = await violations(product, journal, ignored);
    if (found.length === 0 || performance.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
