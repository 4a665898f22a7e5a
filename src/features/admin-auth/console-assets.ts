import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Below this address the built console is served. */
export const assetsPath = "/admin/assets/";

/** A file of the built console, in memory. */
export interface ConsoleAsset {
  body: Buffer;
  type: string;
  etag: string;
  encodings: { br?: Buffer; gzip?: Buffer };
}

/** The addresses of what a page needs of one entry of the console. */
export interface ConsoleEntry {
  script: string;
  styles: string[];
  fonts: string[];
}

export interface ConsoleAssets {
  /** A file by its name below `assetsPath`; only names that the build made are known. */
  file(name: string): ConsoleAsset | undefined;
  /** An entry by the name of its source, such as `admin`; undefined where nothing is built. */
  entry(name: string): ConsoleEntry | undefined;
}

interface ManifestChunk {
  file: string;
  css?: string[];
  assets?: string[];
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/**
 * Reads the built console (a few files, hashed by name) into memory, so that no request's path
 * ever reaches the file system. A folder that does not exist is a console without files.
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
      body,
      type,
      etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
      encodings: { ...(br && { br }), ...(gzip && { gzip }) },
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
      return {
        script: address(chunk.file),
        styles: (chunk.css ?? []).map(address),
        fonts: (chunk.assets ?? []).filter((file) => file.endsWith(".woff2")).map(address),
      };
    },
  };
}

/** The encoding to answer with: brotli before gzip, by what the client takes (RFC 9110 §12.5.3). */
export function chooseEncoding(
  accept: string | undefined,
  asset: ConsoleAsset,
): { encoding: "br" | "gzip" | null; body: Buffer } {
  const taken = new Set<string>();
  for (const part of (accept ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) taken.add(coding);
  }
  for (const encoding of ["br", "gzip"] as const) {
    const body = asset.encodings[encoding];
    if (body && taken.has(encoding)) return { encoding, body };
  }
  return { encoding: null, body: asset.body };
}
