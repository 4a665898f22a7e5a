import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { undefinedIfMissing, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { readManifest } from "./artifact/artifact.ts";
import { currentRelease, releasePath } from "./current-symlink.ts";
import { isPage, pagePolicy } from "./site/site-policy.ts";

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/;

/** A text as nginx reads it in quotes. */
function quote(text: string): string {
  if (controls.test(text)) {
    const message = `nginx can't serve an address with control characters: ${JSON.stringify(text)}.`;
    throw new AppError("bad_request", message);
  }
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function mapOf(
  variable: string,
  fallback: string,
  entries: readonly (readonly string[])[],
): string {
  const lines = entries.map(([path = "", value = ""]) => `  ${quote(path)} ${quote(value)};`);
  return [`map $uri ${variable} {`, `  default ${quote(fallback)};`, ...lines.toSorted(), "}"].join(
    "\n",
  );
}

function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? pagePolicy([]);
}

async function describeRelease(dir: string): Promise<string> {
  const { files, redirects = {} } = await readManifest(`${dir}.json`);
  const policies = Object.entries(files)
    .filter(([path, file]) => isPage(file) && path.endsWith("/") && redirects[path] === undefined)
    // When nginx makes the headers, it has found the page's file.
    .map(([path, file]) => [`${path}index.html`, pagePolicy(file.scripts ?? [])] as const);
  const usual = mostFrequent(policies.map(([, policy]) => policy));
  const others = policies.filter(([, policy]) => policy !== usual);
  // A path that no release has: nginx then asks Vitrine.
  const moved = Object.keys(redirects).map((path) => [path, "/.moved"]);
  return [
    "# Written by `vitrine nginx-release`: the current release, for nginx. Don't edit.",
    `map "" $vitrine_release {\n  default ${quote(dir)};\n}`,
    mapOf("$vitrine_page_policy", usual, others),
    mapOf("$vitrine_moved", "", moved),
    "",
  ].join("\n\n");
}

/**
 * Describes the current release for nginx (deploy/nginx.conf): its folder, its pages' policies, and the
 * pages that have moved. Gives its number, and whether `file` has changed. Throws `not_found` where nothing
 * is published yet.
 */
export async function writeNginxRelease(
  paths: InstancePaths,
  file: string,
): Promise<{ release: number; file: string; isChanged: boolean }> {
  const release = await currentRelease(paths);
  if (release === null) throw new AppError("not_found", "Nothing is published yet.");
  const text = await describeRelease(resolve(releasePath(paths, release)));
  const target = resolve(file);
  const before = await undefinedIfMissing(readFile(target, "utf8"));
  if (before !== text) await writeFileAtomic(target, text, { mode: 0o644 });
  return { release, file: target, isChanged: before !== text };
}
