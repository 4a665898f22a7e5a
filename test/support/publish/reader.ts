/**
 * Reads the live release again and again, as the web process does: follows `current` once, then
 * compares each file with the manifest. Prints a line for every torn one, and at SIGTERM the count.
 */
import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Manifest } from "../../../packages/server/src/features/release/artifact/artifact.ts";
import { instancePaths } from "../../../packages/server/src/platform/paths.ts";

const paths = instancePaths(process.argv[2] ?? "");
let reads = 0;
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());

/** Hashes of files by what changes with their bytes: most files of a release are those of the last. */
const hashes = new Map<string, string>();

const keyOf = ({ ino, size, mtimeNs }: BigIntStats) => `${ino}-${size}-${mtimeNs}`;

function hashOf(path: string): string {
  const known = hashes.get(keyOf(statSync(path, { bigint: true })));
  if (known !== undefined) return known;
  const file = openSync(path, "r");
  try {
    const key = keyOf(fstatSync(file, { bigint: true }));
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    // Bytes that were written meanwhile are read again the next time.
    if (keyOf(fstatSync(file, { bigint: true })) === key) hashes.set(key, hash);
    return hash;
  } finally {
    closeSync(file);
  }
}

function readOnce(): string | null {
  const dir = join(paths.releases, basename(readlinkSync(paths.current)));
  const manifest = JSON.parse(readFileSync(`${dir}.json`, "utf8")) as Manifest;
  for (const { file, hash } of Object.values(manifest.files)) {
    if (hashOf(join(dir, file)) !== hash) return `${dir}/${file} is not what its manifest says`;
  }
  return null;
}

console.log("ready");
while (!ending.signal.aborted) {
  try {
    const torn = readOnce();
    if (torn !== null) console.log(`torn ${torn}`);
  } catch (error) {
    console.log(`torn ${String(error)}`);
  }
  reads += 1;
  await delay(2);
}
console.log(`reads ${reads}`);
