import { existsSync, lstatSync, readlinkSync } from "node:fs";
import {
  type Command,
  commandOf,
  type ProcessLimits,
  processLimits,
  splitArguments,
} from "./command.ts";
import { seccompFilter } from "./seccomp.ts";

/** A file or folder of the machine, visible at `to` in the sandbox, by default read-only. */
export interface Binding {
  from: string;
  to: string;
  writable?: boolean;
}

/** A command in a sandbox: what it sees, its limits, and its user. */
export interface SandboxSpec {
  /** The program and its arguments, with paths inside the sandbox. */
  program: string[];
  bindings: Binding[];
  /** Empty folders in memory with their maximum bytes. */
  scratch: { folder: string; bytes: number }[];
  /** All of its environment. */
  environment: Record<string, string>;
  bounds: ProcessLimits;
  /** The unprivileged user to become if the caller is root; null to stay the same user. */
  uid: number | null;
}

/** The system's shared libraries, with the links that distributions have at the root. */
function libraryArguments(): string[] {
  const folders = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64"];
  return folders.flatMap((folder) => {
    if (!existsSync(folder)) return [];
    return lstatSync(folder).isSymbolicLink()
      ? ["--symlink", readlinkSync(folder), folder]
      : ["--ro-bind", folder, folder];
  });
}

function bindArguments(list: Binding[]): string[] {
  return list.flatMap(({ from, to, writable }) => [writable ? "--bind" : "--ro-bind", from, to]);
}

/**
 * Limits of every process inside, and their number, which is counted in the sandbox's own user
 * namespace.
 */
function boundArguments(bounds: ProcessLimits): string[] {
  return ["/prlimit", `--nproc=${bounds.processes}`, ...processLimits(bounds), "--"];
}

/** Makes bubblewrap report the first process of the PID namespace, which ends with it. */
const tellInit = splitArguments("--info-fd 4");

/** Makes bubblewrap read the system call filter that `launch` writes there. */
const readFilter = seccompFilter() === null ? [] : splitArguments("--seccomp 5");

function innerArguments(spec: SandboxSpec, list: Binding[]): string[] {
  return [
    // --clearenv alone leaves the original environment in /proc/1/environ.
    ...splitArguments("/usr/bin/env -i bwrap --unshare-all --unshare-user --disable-userns"),
    ...splitArguments("--die-with-parent --new-session --cap-drop ALL --clearenv"),
    ...Object.entries(spec.environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...libraryArguments(),
    ...splitArguments("--ro-bind /usr/bin/prlimit /prlimit --proc /proc --dev /dev"),
    // A shared mapping of /dev/zero is memory that no process limit counts.
    ...splitArguments("--dev-bind /dev/null /dev/zero --remount-ro /dev"),
    ...bindArguments(list),
    ...spec.scratch.flatMap(({ folder, bytes }) => ["--size", String(bytes), "--tmpfs", folder]),
    ...splitArguments("--remount-ro / --chdir /"),
    ...(spec.uid === null ? tellInit : []),
    ...readFilter,
    "--",
    ...boundArguments(spec.bounds),
  ];
}

/**
 * Root drops its privileges before the sandbox is created: an outer bubblewrap binds the folders
 * below /mnt, because the unprivileged user may have no access to their location (an instance below
 * /root), then setpriv changes the user. It has its own PID namespace, because otherwise nothing
 * would end the sandbox when we are killed: a dying unprivileged process can't signal another
 * user's.
 */
function descent(uid: number, list: Binding[]): { args: string[]; staged: Binding[] } {
  const stages = list.map(({ to, writable = false }, index) => ({
    from: `/mnt/${index}`,
    to,
    writable,
  }));
  const collected = list.map(({ from, writable = false }, index) => ({
    from,
    to: `/mnt/${index}`,
    writable,
  }));
  const args = [
    ...splitArguments(
      "/usr/bin/env -i bwrap --die-with-parent --unshare-pid --dev-bind / / --tmpfs /mnt",
    ),
    ...bindArguments(collected),
    ...splitArguments("--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP"),
    ...tellInit,
    "--",
    ...splitArguments(`/usr/bin/setpriv --reuid ${uid} --regid ${uid} --clear-groups`),
    ...splitArguments("--bounding-set -all --inh-caps -all --pdeathsig KILL --"),
  ];
  return { args, staged: stages };
}

/**
 * The command that runs a program in its own sandbox: no network, no inherited environment, nothing
 * of the machine except its shared libraries and the bindings, under an unprivileged user in a user
 * namespace that can't be nested. Start it with `launch`, contained.
 */
export function bubblewrapCommand(spec: SandboxSpec): Command {
  const outer =
    spec.uid === null ? { args: [], staged: spec.bindings } : descent(spec.uid, spec.bindings);
  return commandOf([...outer.args, ...innerArguments(spec, outer.staged), ...spec.program]);
}
