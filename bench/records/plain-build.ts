/**
 * A plain build by Astro alone, of sources and a snapshot that lie in a folder:
 * `plain-build.ts <folder> <output folder> <base URL>`. After ten seconds it takes the lower priority
 * that a build in the sandbox then has (watchdog.ts): whatever else the machine does slows both alike.
 */
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { build } from "astro";
import { siteConfig } from "../../packages/server/src/features/release/builder/site-config.ts";

const expectedMs = 10_000;
const niceness = 10;
const lower = setTimeout(() => {
  for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), niceness);
}, expectedMs);

const [folder = "", outDir = "", baseUrl = ""] = process.argv.slice(2);
await build(
  siteConfig({
    root: join(folder, "app"),
    outDir,
    cacheDir: join(folder, "cache"),
    snapshotFile: join(folder, "snapshot.json"),
    baseUrl,
  }),
);
clearTimeout(lower);
