import sitemap from "@astrojs/sitemap";
import type { AstroInlineConfig, AstroIntegration, AstroPrerenderer } from "astro";
import { passthroughImageService } from "astro/config";
import { isListed } from "./listed-pages.ts";
import { type SearchOptions, writeSearchIndex } from "./search-index.ts";
import type { SourceTagger } from "../source-tags/tagger.ts";
import { makeCompiledWriter } from "./compiled-site.ts";
import { cleaningPrerenderer } from "./cleaning-prerenderer.ts";
import { definitions, makeSiteDataPlugin, type SiteData } from "./site-data.ts";

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
  /** The résumé's file that was published before, and what stands for the code it was made by. */
  resumeFile?: SiteData["resumeFile"];
  /** How many share images may be drawn anew; none unless told. */
  shareImages?: number;
  /** Has a live file of the output kept; false if it can't be. */
  keep?: (path: string) => boolean;
  /** How an index for searching is made of the finished pages; none unless told. */
  search?: SearchOptions;
  /** Whether the compiled code is left in the output, for builds of the same code; not unless told. */
  keepCompiled?: boolean;
  /** Notes where the elements of the pages come from; the pages are the same without. */
  tagger?: SourceTagger;
  /** How much Astro prints; errors are thrown in any case. */
  logLevel?: "debug" | "info" | "warn" | "error" | "silent";
}

const noResumeFile = { published: null, code: "" };

/** Browsers that know `light-dark()`, so that the colors in theme.css stay as they are written. */
const cssTargets = ["chrome123", "edge123", "firefox120", "safari17.5"];

function searchIntegration(
  { outDir, cacheDir }: SiteConfigOptions,
  search: SearchOptions,
): AstroIntegration {
  return {
    name: "search-index",
    hooks: { "astro:build:done": () => writeSearchIndex({ ...search, outDir, cacheDir }) },
  };
}

/** Takes the tags out of what is rendered, and keeps what it is rendered with. */
function prerendererIntegration(
  wrappers: ((prerenderer: AstroPrerenderer) => AstroPrerenderer)[],
): AstroIntegration {
  return {
    name: "prerenderer",
    hooks: {
      "astro:build:start": ({ setPrerenderer }) =>
        setPrerenderer((inner) => wrappers.reduce((wrapped, wrap) => wrap(wrapped), inner)),
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
  const { tagger, outDir } = options;
  const { published = null, shareImages: most = 0, resumeFile = noResumeFile, keep } = options;
  const sharePictures = { published, out: outDir, most, keep };
  const data = makeSiteDataPlugin({ ...options, sharePictures, resumeFile });
  const tags = () => tagger?.compiled() ?? null;
  const writer = makeCompiledWriter({ outDir, isReusable: data.isReusable, tags });
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
      ...(options.search ? [searchIntegration(options, options.search)] : []),
      prerendererIntegration([
        ...(options.keepCompiled ? [writer.writeBefore] : []),
        ...(tagger ? [(inner: AstroPrerenderer) => cleaningPrerenderer(inner, tagger)] : []),
      ]),
    ],
    devToolbar: { enabled: false },
    prefetch: false,
    vite: {
      cacheDir: options.cacheDir,
      logLevel: "error",
      plugins: [
        data.plugin,
        ...(options.keepCompiled ? [writer.plugin] : []),
        ...(tagger ? [tagger.plugin] : []),
      ],
      define: definitions,
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
