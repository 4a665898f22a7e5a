/**
 * A plain build by Astro alone, of sources and a snapshot that lie in a folder:
 * `plain-build.ts <folder> <output folder> <base URL> [complete]`. With `complete`, the output gets what
 * a release of Vitrine has as well: the index for searching and compressed files. After ten seconds it takes the lower priority
 * that a build in the sandbox then has (watchdog.ts): whatever else the machine does slows both alike.
 */
import { readdirSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { build } from "astro";
import {
  effortFor,
  encodedFrom,
  writeEncodings,
} from "../../packages/server/src/features/release/artifact/encodings.ts";
import { siteConfig } from "../../packages/server/src/features/release/builder/site-config.ts";
import { mapConcurrently } from "../../packages/server/src/kit/concurrency.ts";

const expectedMs = 10_000;
const niceness = 10;
const lower = setTimeout(() => {
  for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), niceness);
}, expectedMs);

const [folder = "", outDir = "", baseUrl = "", extent] = process.argv.slice(2);
const isComplete = extent === "complete";

const text = /\.(html|css|js|json|xml|svg|txt)$/;

async function compress(): Promise<void> {
  const names = (readdirSync(outDir, { recursive: true }) as string[]).filter((name) =>
    text.test(name),
  );
  const files = names
    .map((name) => join(outDir, name))
    .flatMap((path) => {
      const { size } = statSync(path);
      return size < encodedFrom ? [] : [{ path, size }];
    });
  const effort = effortFor(files.reduce((sum, { size }) => sum + size, 0));
  await mapConcurrently(files, 4, ({ path }) => writeEncodings(path, path, effort));
}

await build(
  siteConfig({
    root: join(folder, "app"),
    outDir,
    cacheDir: join(folder, "cache"),
    snapshotFile: join(folder, "snapshot.json"),
    baseUrl,
    ...(isComplete && { search: { publishedParts: [], keep() {} } }),
  }),
);
if (isComplete) await compress();
clearTimeout(lower);
