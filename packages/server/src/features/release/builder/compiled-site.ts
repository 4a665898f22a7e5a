import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AstroPrerenderer } from "astro";
import type { Plugin } from "vite";
import type { CompiledTags } from "../source-tags/page-cleaner.ts";

// What Astro compiles of a site's code: the modules that render its pages, and the files for browsers
// that belong to them. A build leaves it in its output, from where it is kept for builds of the same
// code (compiled-store.ts).

/** Where a build leaves it: dotfiles of an output are no part of the site. */
export const compiledFolder = ".compiled";

/** A route as Astro knows it, as far as it is used here. */
export interface CompiledRoute {
  route: string;
  component: string;
  type: "page" | "endpoint" | "redirect" | "fallback";
  pathname?: string;
  prerender: boolean;
  fallbackRoutes: CompiledRoute[];
}

/** A path to be rendered. */
export interface CompiledPath {
  pathname: string;
  route: CompiledRoute;
}

/** What the compiled entry hands out besides what Astro needs itself (see `entryPlugin`). */
interface Bundle {
  url: string;
  environment: {
    setInternals(internals: unknown): void;
    setOptions(options: unknown): void;
    getInternals(): AstroInternals;
    getOptions(): AstroOptions;
  };
  StaticPaths: new (app: CompiledApp) => { getAll(): Promise<CompiledPath[]> };
}

/** The application that a compiled entry exports. */
export interface CompiledApp {
  bundle: Bundle;
  manifest: { routes: { routeData: CompiledRoute }[] };
  render(request: Request, options: { routeData: CompiledRoute }): Promise<Response>;
}

interface AstroInternals {
  pagesByKeys: Map<string, { styles: unknown[] }>;
  entrySpecifierToBundleMap: Map<string, string>;
}

interface AstroOptions {
  settings: {
    scripts: { stage: string; content: string }[];
    config: { i18n?: unknown; redirects?: object; session?: unknown };
  };
}

/** What has to be known to render with compiled code; `site.json` beside it. */
export interface CompiledSite {
  /** The file below `server` that exports the application. */
  entry: string;
  pages: [key: string, styles: unknown[]][];
  entries: [specifier: string, file: string][];
  scripts: { stage: string; content: string }[];
  /** Of code that was compiled with tags. */
  tags: CompiledTags | null;
}

const entryModule = /\/astro\/dist\/entrypoints\/prerender\.js$/;

/**
 * Has the compiled entry hand out what renders it, so that Astro itself, which takes longer to load
 * than a site to render, is not needed for that.
 */
function entryPlugin(): Plugin {
  const astro = dirname(createRequire(import.meta.url).resolve("astro/package.json"));
  const paths = join(astro, "dist/runtime/prerender/static-paths.js");
  return {
    name: "compiled-entry",
    transform: {
      filter: { id: entryModule },
      handler: (code) =>
        [
          `import { StaticPaths } from ${JSON.stringify(paths)};`,
          code,
          "app.bundle = { url: import.meta.url, environment: buildEnv, StaticPaths };",
        ].join("\n"),
    },
  };
}

/** Keeps what a build compiles. */
export interface CompiledWriter {
  plugin: Plugin;
  /** Leaves the compiled code in the output as soon as it is complete. */
  writeBefore(prerenderer: AstroPrerenderer): AstroPrerenderer;
}

/** Code that is rendered in ways that only Astro's whole build knows. */
function needsAstro(app: CompiledApp): boolean {
  const { config } = app.bundle.environment.getOptions().settings;
  const isPlain = ({ routeData }: { routeData: CompiledRoute }) =>
    ["page", "endpoint"].includes(routeData.type) && routeData.fallbackRoutes.length === 0;
  return config.i18n !== undefined || !app.manifest.routes.every(isPlain);
}

/** Before any of the site's code has run, the output holds only what was compiled for browsers. */
async function keepClient(outDir: string): Promise<void> {
  const target = join(outDir, compiledFolder);
  const names = await readdir(outDir);
  await mkdir(target);
  for (const name of names) {
    if (name.startsWith(".") && name !== ".well-known") continue;
    await cp(join(outDir, name), join(target, "client", name), { recursive: true });
  }
}

async function keep(app: CompiledApp, outDir: string, tags: CompiledTags | null): Promise<void> {
  const { url, environment } = app.bundle;
  const server = dirname(fileURLToPath(url));
  const target = join(outDir, compiledFolder);
  const internals = environment.getInternals();
  const site: CompiledSite = {
    entry: fileURLToPath(url).slice(server.length + 1),
    pages: [...internals.pagesByKeys].map(([key, { styles }]) => [key, styles]),
    entries: [...internals.entrySpecifierToBundleMap],
    scripts: environment.getOptions().settings.scripts,
    tags,
  };
  await cp(server, join(target, "server"), { recursive: true });
  await writeFile(join(target, "site.json"), JSON.stringify(site));
}

/** Makes what keeps the compiled code of a build into `outDir`, where it can be used again at all. */
export function makeCompiledWriter(options: {
  outDir: string;
  isReusable(): boolean;
  tags(): CompiledTags | null;
}): CompiledWriter {
  return {
    plugin: entryPlugin(),
    writeBefore: (prerenderer) => ({
      ...prerenderer,
      async setup() {
        const isReusable = options.isReusable();
        if (isReusable) await keepClient(options.outDir);
        await prerenderer.setup?.();
        // Astro's own prerenderer puts the application on itself, which the copy above does not see.
        const { app } = prerenderer as unknown as { app: CompiledApp };
        if (!isReusable) return;
        if (!needsAstro(app)) return keep(app, options.outDir, options.tags());
        await rm(join(options.outDir, compiledFolder), { recursive: true });
      },
    }),
  };
}

/** Loads the application that was kept in a folder, ready to render. */
export async function loadCompiledApp(folder: string, site: CompiledSite): Promise<CompiledApp> {
  const entry = pathToFileURL(join(folder, "server", site.entry)).href;
  const { app } = (await import(entry)) as {
    app: CompiledApp & { setOptions(value: unknown): void };
  };
  app.bundle.environment.setInternals({
    pagesByKeys: new Map(site.pages.map(([key, styles]) => [key, { styles }])),
    entrySpecifierToBundleMap: new Map(site.entries),
  });
  app.setOptions({
    settings: { scripts: site.scripts },
    logger: { options: { destination: warnings } },
  });
  return app;
}

/** Prints what a page warns of, as Astro's own log does in a build. */
const warnings = {
  write(event: { level: string; label: string | null; message: string }): boolean {
    if (event.level !== "warn" && event.level !== "error") return false;
    const label = event.label === null || event.label === "SKIP_FORMAT" ? "" : `[${event.label}] `;
    process.stderr.write(`${label}${event.message}\n`);
    return true;
  },
};
