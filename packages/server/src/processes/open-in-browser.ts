import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findProgram } from "../platform/system-tools.ts";

/** How long a browser gets to read the file, in ms. */
const readMs = 30_000;

/** The program that opens files in a desktop's browser; null without a desktop of this machine. */
function findOpener(env: NodeJS.ProcessEnv): string | null {
  if (env["SSH_CONNECTION"] || env["CI"]) return null;
  if (process.platform === "darwin") return "/usr/bin/open";
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? findProgram(["xdg-open"]) : null;
}

const page = (link: string) =>
  `<!doctype html><meta charset="utf-8"><title>Vitrine</title><script>location.replace(${JSON.stringify(link)})</script>`;

/**
 * Opens a secret link in the browser of the desktop, if there is one. The browser gets a file that
 * only this user can read and that forwards to the link, because every user of a machine can read
 * the arguments of its processes. The file is deleted after 30 seconds.
 * @returns whether there is a desktop
 */
export async function openInBrowser(
  link: string,
  dir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const opener = findOpener(env);
  if (opener === null) return false;
  const file = join(dir, "sign-in.html");
  await rm(file, { force: true });
  await writeFile(file, page(link), { mode: 0o600, flag: "wx" });
  spawn(opener, [file], { stdio: "ignore", detached: true, env })
    .on("error", () => {})
    .unref();
  await wait(readMs, undefined, { ref: false });
  await rm(file, { force: true });
  return true;
}
