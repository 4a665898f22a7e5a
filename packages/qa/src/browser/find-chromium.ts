import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** Chromium under its usual names. Without what windows need it does the same for about half the work. */
export const chromiumBinaries: readonly string[] = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
];

/** Where programs of the system are: what Chromium and the engine's process get as their PATH. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where Chromium is; null without. */
export function findChromium(): string | null {
  const folders = systemPath.split(":");
  const paths = chromiumBinaries.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}
