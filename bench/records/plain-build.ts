/**
 * A plain build by Astro alone, of sources and a snapshot that lie in a folder:
 * `plain-build.ts <folder> <output folder> <base URL>`.
 */
import { join } from "node:path";
import { build } from "astro";
import { siteConfig } from "../../src/features/release/builder/site-config.ts";

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
