import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import react from "@vitejs/plugin-react";
import type { Plugin, Rolldown } from "vite";
import { build, defineConfig } from "vite";

/** Writes a .br and a .gz beside each text asset, so that serving one never compresses. */
function precompress(): Plugin {
  return {
    name: "precompress",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const [name, item] of Object.entries(bundle)) {
        if (!/\.(?:js|css|svg)$/.test(name)) continue;
        const source = Buffer.from(item.type === "chunk" ? item.code : item.source);
        const brotli = brotliCompressSync(source, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_SIZE_HINT]: source.length,
          },
        });
        this.emitFile({ type: "asset", fileName: `${name}.br`, source: brotli });
        this.emitFile({
          type: "asset",
          fileName: `${name}.gz`,
          source: gzipSync(source, { level: 9 }),
        });
      }
    },
  };
}

/**
 * Vite wraps each dynamic import in a helper that preloads style sheets. The overlay brings its
 * styles as text and the server names those of each admin page, so the helper would only make the
 * loader four times as large.
 */
function plainImports(): Plugin {
  return {
    name: "plain-imports",
    enforce: "pre",
    load: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => "export const __vitePreload = (load) => load();",
    },
    renderChunk: (code) => code.replaceAll("__VITE_PRELOAD__", "0"),
  };
}

/**
 * The script for the pages of previews is one file without imports: those pages belong to another
 * origin and get nothing else of the console. The runner serves it.
 */
function frameScript(): Plugin {
  const entry = `${import.meta.dirname}/src/features/preview/frame/frame.ts`;
  return {
    name: "frame-script",
    async generateBundle() {
      this.addWatchFile(entry);
      const output = await build({
        configFile: false,
        logLevel: "warn",
        build: {
          write: false,
          target: "es2023",
          lib: { entry, formats: ["iife"], name: "frame", fileName: () => "frame.js" },
        },
      });
      const [result] = [output].flat();
      const chunk = result && "output" in result ? result.output[0] : undefined;
      if (chunk === undefined) throw new Error("The frame's script was not built.");
      this.emitFile({ type: "asset", fileName: "frame.js", source: chunk.code });
    },
  };
}

const overlay = `${import.meta.dirname}/src/overlay/`;

/** Of a library whose index names everything: what only parts that are loaded later take from it. */
const later = /\/(?:queriesObserver|useQueries|infiniteQueryObserver|useInfiniteQuery)\.js$/;

/** What the overlay needs as soon as it is mounted: all that its entry leads to by static imports. */
function modulesOfFirstLoad(graph: Rolldown.ChunkingContext): ReadonlySet<string> {
  const reached = new Set([`${overlay}overlay.tsx`]);
  for (const id of reached) {
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  }
  return reached;
}

/**
 * What the overlay's first load has in common with the admin pages is one file: the twenty that it
 * would be otherwise are as many requests, and compress worse by a tenth.
 */
function commonChunk(): Rolldown.CodeSplittingGroup {
  let first: ReadonlySet<string> | undefined;
  return {
    name(id, graph) {
      first ??= modulesOfFirstLoad(graph);
      const common = first.has(id) && !id.startsWith(overlay) && !later.test(id);
      return common ? "console" : null;
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: "/admin/assets/",
  plugins: [plainImports(), react(), frameScript(), precompress()],
  build: {
    outDir: "./dist",
    emptyOutDir: true,
    assetsDir: ".",
    assetsInlineLimit: 0,
    manifest: "manifest.json",
    modulePreload: false,
    target: "es2023",
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: {
        loader: `${import.meta.dirname}/src/overlay/loader.ts`,
        admin: `${import.meta.dirname}/src/admin/admin.ts`,
        manage: `${import.meta.dirname}/src/admin/manage.tsx`,
      },
      output: {
        codeSplitting: { groups: [commonChunk()] },
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
});
