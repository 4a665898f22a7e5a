import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, commandOf, type ProcessLimits, prlimitPrefix } from "./command.ts";
import { seccompFilter } from "./seccomp.ts";

/** A command without namespaces: what it may read and write, at its own places, and its limits. */
export interface LandlockSpec {
  /** The program and its arguments. */
  program: string[];
  /** Files and folders that it may read and run, with what is in them; missing ones don't matter. */
  readable: string[];
  /** Folders in which it may create, change, and delete files and folders, but run nothing. */
  writable: string[];
  /** All of its environment. */
  environment: Record<string, string>;
  bounds: ProcessLimits;
  /** The unprivileged user to become if the caller is root; null to stay the same user. */
  uid: number | null;
}

const perl = "/usr/bin/perl";

/** Shared libraries, and where the linker looks for them. */
const libraries = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/lib",
  "/lib32",
  "/lib64",
  "/etc/ld.so.cache",
  "/etc/alternatives",
];

/** What runtimes ask about the machine; nothing of it is about who uses it. */
const machine = ["/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/dev/urandom"];

/** Node refuses to start where its cryptography may not read the machine's configuration. */
const configuration = { OPENSSL_CONF: "/dev/null" };

/** The filter for where there are no namespaces; null: unknown processor. */
export const landlockFilter = (): Buffer | null => seccompFilter({ hasNamespaces: false });

/**
 * The command that runs a program contained by Landlock, a system call filter, and limits, where
 * namespaces can't be had (in a container, or where only privileged programs may create them). It
 * reads and writes only what it is told; has no sockets; signals nobody; can't leave the group that is
 * ended with it; and changes no attributes of files. Unlike in bubblewrap, it can find out whether a
 * path exists. Start it with `launch`, contained by `landlock`; that fails where the kernel has no
 * Landlock (Linux 6.2 or newer).
 */
export function landlockCommand(spec: LandlockSpec): Command {
  const script = join(import.meta.dirname, "landlock.pl");
  const readable = [...libraries, ...machine, ...spec.readable].filter((path) => existsSync(path));
  return commandOf([
    ...prlimitPrefix(spec.bounds),
    perl,
    script,
    ...(spec.uid === null ? [] : ["--uid", String(spec.uid)]),
    "--processes",
    String(spec.bounds.processes),
    ...readable.flatMap((path) => ["--read", path]),
    ...spec.writable.flatMap((path) => ["--write", path]),
    ...Object.entries({ ...configuration, ...spec.environment }).flatMap(([name, value]) => [
      "--env",
      `${name}=${value}`,
    ]),
    "--",
    ...spec.program,
  ]);
}
