import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Encoding } from "../../kit/accept-encoding.ts";

/** The built console is served below this path. */
export const assetsPath = "/admin/assets/";

/** A file of the built console, in memory. */
export interface ConsoleAsset {
  type: string;
  etag: string;
  bodies: { identity: Buffer } & Partial<Record<Encoding, Buffer>>;
}

/** The files that a page needs for one entry of the console. */
export interface ConsoleEntry {
  script: string;
  /** Files that the script imports immediately, and their imports. */
  imports: string[];
  styles: string[];
  fonts: string[];
}

export interface ConsoleAssets {
  /** A file by its name below `assetsPath`; only files of the build are known. */
  file(name: string): ConsoleAsset | undefined;
  /**
   * An entry or a lazily loaded chunk by its source name, such as `admin`; undefined if it wasn't
   * built.
   */
  entry(name: string): ConsoleEntry | undefined;
}

interface ManifestChunk {
  file: string;
  imports?: string[];
  css?: string[];
  assets?: string[];
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** A chunk followed by everything that it imports. */
function withImports(
  manifest: Record<string, ManifestChunk>,
  chunk: ManifestChunk,
): ManifestChunk[] {
  const found = new Set([chunk]);
  for (const item of found) {
    for (const name of item.imports ?? []) {
      const imported = manifest[name];
      if (imported) found.add(imported);
    }
  }
  return [...found];
}

/**
 * Reads the built console (a few files, named by hash) into memory, so that no request path ever
 * reaches the file system. If the folder doesn't exist, there are no files.
 */
export function loadConsoleAssets(dir: string): ConsoleAssets {
  const files = new Map<string, ConsoleAsset>();
  const manifestFile = join(dir, "manifest.json");
  if (!existsSync(manifestFile)) return { file: () => undefined, entry: () => undefined };
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8")) as Record<string, ManifestChunk>;
  const names = new Set(readdirSync(dir));
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const body = readFileSync(join(dir, name));
    const encoded = (suffix: string) =>
      names.has(name + suffix) ? readFileSync(join(dir, name + suffix)) : undefined;
    const br = encoded(".br");
    const gzip = encoded(".gz");
    files.set(name, {
      type,
      etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
      bodies: { identity: body, ...(br && { br }), ...(gzip && { gzip }) },
    });
  }
  return {
    file: (name) => files.get(name),
    entry(name) {
      const chunk = Object.entries(manifest).find(([source]) =>
        new RegExp(`(^|/)${name}\\.tsx?$`).test(source),
      )?.[1];
      if (!chunk) return undefined;
      const address = (file: string) => assetsPath + file;
      const chunks = withImports(manifest, chunk);
      const assets = chunks.flatMap((item) => item.assets ?? []);
      return {
        script: address(chunk.file),
        imports: chunks.slice(1).map((item) => address(item.file)),
        styles: [...new Set(chunks.flatMap((item) => item.css ?? []))].map(address),
        fonts: [...new Set(assets)].filter((file) => file.endsWith(".woff2")).map(address),
      };
    },
  };
}

/** The script for previewed pages; "" if the console isn't built. */
export function readFrameScript(dir: string): string {
  const file = join(dir, "frame.js");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
