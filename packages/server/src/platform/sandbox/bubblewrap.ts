import { existsSync, lstatSync, readlinkSync } from "node:fs";
import {
  type Command,
  commandOf,
  type ProcessLimits,
  processLimits,
  splitArguments,
} from "./command.ts";
import { seccompFilter } from "./seccomp.ts";

/** A file or folder of the machine that the sandbox sees at `to`, read-only unless told. */
export interface Binding {
  from: string;
  to: string;
  writable?: boolean;
}

/** A command in a sandbox: what it sees, what it may take, whom it runs as. */
export interface SandboxSpec {
  /** The program and its arguments, with paths as they are inside. */
  program: string[];
  bindings: Binding[];
  /** Empty folders in memory, each with the most bytes that it may hold. */
  scratch: { folder: string; bytes: number }[];
  /** All of its environment. */
  environment: Record<string, string>;
  bounds: ProcessLimits;
  /** The unprivileged user to become, for a caller that is root; null: stay who we are. */
  uid: number | null;
}

/** The system's shared libraries, with the links that distributions keep at the root. */
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

/** Bounds of every process inside, and their number, which is counted within the sandbox's own user namespace. */
function boundArguments(bounds: ProcessLimits): string[] {
  return ["/prlimit", `--nproc=${bounds.processes}`, ...processLimits(bounds), "--"];
}

/** Has bubblewrap say which process is the first of the pid namespace that ends with it. */
const tellInit = splitArguments("--info-fd 4");

/** Has bubblewrap read the filter of system calls that `launch` writes there. */
const readFilter = seccompFilter() === null ? [] : splitArguments("--seccomp 5");

function innerArguments(spec: SandboxSpec, list: Binding[]): string[] {
  return [
    // --clearenv alone leaves what it was started with in /proc/1/environ.
    ...splitArguments("/usr/bin/env -i bwrap --unshare-all --unshare-user --disable-userns"),
    ...splitArguments("--die-with-parent --new-session --cap-drop ALL --clearenv"),
    ...Object.entries(spec.environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...libraryArguments(),
    ...splitArguments("--ro-bind /usr/bin/prlimit /prlimit --proc /proc --dev /dev"),
    // A shared mapping of /dev/zero is memory that no limit of a process counts.
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
 * Root gives its rights away before the sandbox is made: an outer bubblewrap collects the folders under
 * /mnt, because the unprivileged user may have no way to where they are (an instance below /root), then
 * setpriv changes the user. It has a pid namespace of its own, because without one nothing would end the
 * sandbox when we are killed: a dying process that has no rights can't signal another user's.
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
 * The command that runs a program in a sandbox of its own: no network, no environment but what is
 * given, nothing of the machine but its shared libraries and the bindings, under an unprivileged user
 * in a user namespace that can't be nested. To be started with `launch`, contained.
 */
export function bubblewrapCommand(spec: SandboxSpec): Command {
  const outer =
    spec.uid === null ? { args: [], staged: spec.bindings } : descent(spec.uid, spec.bindings);
  return commandOf([...outer.args, ...innerArguments(spec, outer.staged), ...spec.program]);
}
