import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Environment } from "../platform/config.ts";
import { findProgram } from "../platform/system-tools.ts";

/** How long a browser gets to read the file, in ms. */
const defaultReadMs = 30_000;

/** The program that opens files in the browser of this machine's desktop; null if there is none. */
export function findOpener(env: Environment): string | null {
  if (env["SSH_CONNECTION"] || env["CI"]) return null;
  if (process.platform === "darwin") return "/usr/bin/open";
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? findProgram(["xdg-open"]) : null;
}

const page = (link: string) =>
  `<!doctype html><meta charset="utf-8"><title>Vitrine</title><script>location.replace(${JSON.stringify(link)})</script>`;

/**
 * Opens a secret link in a browser. It gets a file in `dir` that only this user can read and that
 * forwards to the link, because every user of a machine can read the arguments of its processes.
 * Resolves when the file has been deleted again.
 * @param opener the program that opens files
 * @param readMs how long the file stays
 */
export async function openInBrowser(
  link: string,
  dir: string,
  opener: string,
  readMs = defaultReadMs,
): Promise<void> {
  const file = join(dir, "sign-in.html");
  await rm(file, { force: true });
  await writeFile(file, page(link), { mode: 0o600, flag: "wx" });
  spawn(opener, [file], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
  await wait(readMs, undefined, { ref: false });
  await rm(file, { force: true });
}
