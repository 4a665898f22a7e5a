import { spawnSync } from "node:child_process";

/** Whether system calls can be watched here. */
export const traceable = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

/** Whether file systems of our own can be made here. */
export const isRoot =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
