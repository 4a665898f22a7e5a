import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sitemap from "@astrojs/sitemap";
import type { AstroInlineConfig, AstroIntegration } from "astro";
import { passthroughImageService } from "astro/config";
import { writeSearchIndex } from "./search-index.ts";
import type { SourceTagger } from "../source-tags/tagger.ts";

export interface SiteConfigOptions {
  /** The content's `app` folder: `src/` with the pages, `public/` with what is copied as it is. */
  root: string;
  /** Where the static site is written; emptied first. */
  outDir: string;
  /** A writable folder for Vite's and Astro's caches. */
  cacheDir: string;
  /** JSON file with the exported records, imported by the pages as `@snapshot`. */
  snapshotFile: string;
  /** Absolute address under which the site will be served, e.g. `https://example.com`. */
  baseUrl: string;
  /** A folder with share images that were published before, by their names; null: there are none. */
  published?: string | null;
  /** How many share images may be drawn anew; none unless told. */
  shareImages?: number;
  /** Whether an index for searching is made of the finished pages; not unless told. */
  search?: boolean;
  /** Notes where the elements of the pages come from; the pages are the same without. */
  tagger?: SourceTagger;
  /** How much Astro prints; errors are thrown in any case. */
  logLevel?: "debug" | "info" | "warn" | "error" | "silent";
}

/** Browsers that know `light-dark()`, so that the colors in theme.css stay as they are written. */
const cssTargets = ["chrome123", "edge123", "firefox120", "safari17.5"];

/**
 * Whether a page that has just been built may be listed: those that say `noindex` are in no sitemap, nor
 * are those that were left out because they have no content.
 */
function isListed(outDir: string, address: string): boolean {
  const file = join(outDir, decodeURIComponent(new URL(address).pathname), "index.html");
  if (!existsSync(file)) return false;
  const robots = /<meta\b[^>]*\bname=["']?robots\b[^>]*>/i.exec(readFileSync(file, "utf8"));
  return !robots?.[0].toLowerCase().includes("noindex");
}

/** More pages would take a build longer than all the rest of it. */
const maxSearchablePages = 2000;

function searchIntegration({ outDir, cacheDir }: SiteConfigOptions): AstroIntegration {
  return {
    name: "search-index",
    hooks: {
      "astro:build:done": () =>
        writeSearchIndex({ outDir, cacheDir, maxPages: maxSearchablePages }),
    },
  };
}

/**
 * The whole configuration of a site build. The content has no configuration of its own
 * (`configFile: false`), so what it may do is decided here alone.
 *
 * Pages are folders (`/about/index.html`), which any static server serves without rules. All styles
 * go into one file: a visitor loads it once, and no page needs inline styles. Images are made at
 * upload and linked into the output after the build, so the image service is switched off.
 */
export function siteConfig(options: SiteConfigOptions): AstroInlineConfig {
  const { tagger } = options;
  return {
    configFile: false,
    root: options.root,
    outDir: options.outDir,
    cacheDir: options.cacheDir,
    site: options.baseUrl,
    output: "static",
    trailingSlash: "always",
    logLevel: options.logLevel ?? "warn",
    build: { format: "directory", assets: "_astro", inlineStylesheets: "never" },
    image: { service: passthroughImageService() },
    integrations: [
      sitemap({ filter: (address) => isListed(options.outDir, address) }),
      ...(options.search ? [searchIntegration(options)] : []),
      ...(tagger ? [tagger.integration] : []),
    ],
    devToolbar: { enabled: false },
    prefetch: false,
    vite: {
      cacheDir: options.cacheDir,
      logLevel: "error",
      plugins: tagger ? [tagger.plugin] : [],
      resolve: { alias: { "@snapshot": options.snapshotFile } },
      define: {
        SHARE_PICTURES: JSON.stringify({
          published: options.published ?? null,
          out: options.outDir,
          most: options.shareImages ?? 0,
        }),
      },
      ssr: { external: ["satori", "sharp"] },
      build: {
        cssCodeSplit: false,
        cssTarget: cssTargets,
        // Fonts and images stay files, so that they are cached apart and allowed by 'self'.
        assetsInlineLimit: 0,
      },
    },
  };
}
