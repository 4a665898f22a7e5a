import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vite";

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

export default defineConfig({
  root: import.meta.dirname,
  base: "/admin/assets/",
  plugins: [plainImports(), react(), precompress()],
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    assetsDir: ".",
    assetsInlineLimit: 0,
    manifest: "manifest.json",
    modulePreload: false,
    target: "es2023",
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: {
        loader: `${import.meta.dirname}/src/loader.ts`,
        admin: `${import.meta.dirname}/src/admin.ts`,
        manage: `${import.meta.dirname}/src/manage.tsx`,
      },
      output: {
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
});
