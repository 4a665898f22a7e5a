import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/**
 * The usual names of Chromium. Without support for windows, it does the same with about half the
 * work.
 */
export const chromiumBinaries: readonly string[] = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
];

/** The system's search path, used for Chromium and the engine's process. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of Chromium; null if there is none. */
export function findChromium(): string | null {
  const folders = systemPath.split(":");
  const paths = chromiumBinaries.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}
