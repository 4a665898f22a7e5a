import { spawnSync } from "node:child_process";

/** Whether this machine can trace system calls. */
export const traceable = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

/** Whether this machine can mount file systems. */
export const isRoot =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
