/**
 * Reads the live release again and again, as the web process does: follows `current` once, then
 * compares each file with the manifest. Prints a line for every torn one, and at SIGTERM the count.
 */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Manifest } from "../../../packages/server/src/features/release/artifact/artifact.ts";
import { instancePaths } from "../../../packages/server/src/platform/paths.ts";

const paths = instancePaths(process.argv[2] ?? "");
let reads = 0;
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());

function readOnce(): string | null {
  const dir = join(paths.releases, basename(readlinkSync(paths.current)));
  const manifest = JSON.parse(readFileSync(`${dir}.json`, "utf8")) as Manifest;
  for (const { file, hash } of Object.values(manifest.files)) {
    const digest = createHash("sha256")
      .update(readFileSync(join(dir, file)))
      .digest("hex");
    if (digest !== hash) return `${dir}/${file} is not what its manifest says`;
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
