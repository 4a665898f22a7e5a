import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import {
  type BuilderPaths,
  processLimits,
  type SandboxBounds,
  type SandboxCommand,
  type Slot,
} from "./sandbox-parts.ts";

/** Where things are as the code inside the sandbox sees them. */
export const insidePaths: BuilderPaths = {
  script: "/platform/src/features/release/builder/builder.ts",
  site: "/site",
  out: "/out",
  temporary: "/tmp",
};

/** tmpfs is memory that no watchdog sees: it is kept small. */
const temporaryBytes = 256 * 1024 * 1024;
const dotAstroBytes = 32 * 1024 * 1024;

interface Binding {
  from: string;
  to: string;
  writable?: boolean;
}

/** The program's own files, the site's sources and the one folder that may be written. */
function bindings(slot: Slot): Binding[] {
  const list: Binding[] = [
    { from: nodeBinary, to: "/node" },
    { from: join(platformRoot, "package.json"), to: "/platform/package.json" },
    { from: join(platformRoot, "src"), to: "/platform/src" },
    { from: join(platformRoot, "node_modules"), to: "/node_modules" },
    { from: slot.site, to: insidePaths.site },
    { from: slot.out, to: insidePaths.out, writable: true },
  ];
  const template = join(platformRoot, "template");
  if (existsSync(template)) list.push({ from: template, to: "/platform/template" });
  return list;
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
function boundArguments(bounds: SandboxBounds): string[] {
  return ["/prlimit", `--nproc=${bounds.processes}`, ...processLimits(bounds), "--"];
}

/** Fixed arguments, written as one would type them. */
function words(text: string): string[] {
  return text.split(" ");
}

function sized(bytes: number, folder: string): string[] {
  return ["--size", String(bytes), "--tmpfs", folder];
}

function innerArguments(list: Binding[], bounds: SandboxBounds): string[] {
  return [
    // --clearenv alone leaves what it was started with in /proc/1/environ.
    ...words("/usr/bin/env -i bwrap --unshare-all --unshare-user --disable-userns"),
    ...words("--die-with-parent --new-session --cap-drop ALL --clearenv"),
    ...Object.entries(builderEnvironment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...libraryArguments(),
    ...words("--ro-bind /usr/bin/prlimit /prlimit --proc /proc --dev /dev --remount-ro /dev"),
    ...bindArguments(list),
    ...sized(temporaryBytes, insidePaths.temporary),
    ...sized(dotAstroBytes, `${insidePaths.site}/app/.astro`),
    ...words("--remount-ro / --chdir / --info-fd 4 --"),
    ...boundArguments(bounds),
  ];
}

const builderEnvironment: Record<string, string> = {
  PATH: "/",
  HOME: insidePaths.temporary,
  TMPDIR: insidePaths.temporary,
  NODE_ENV: "production",
  ASTRO_TELEMETRY_DISABLED: "1",
  NO_COLOR: "1",
  LANG: "C.UTF-8",
  UV_THREADPOOL_SIZE: "4",
};

/**
 * Root gives its rights away before the sandbox is made: an outer bubblewrap collects the folders under
 * /mnt, because the unprivileged user may have no way to where they are (an instance below /root), then
 * setpriv changes the user.
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
    ...words("/usr/bin/env -i bwrap --die-with-parent --dev-bind / / --tmpfs /mnt"),
    ...bindArguments(collected),
    ...words("--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --"),
    ...words(`/usr/bin/setpriv --reuid ${uid} --regid ${uid} --clear-groups`),
    ...words("--bounding-set -all --inh-caps -all --pdeathsig KILL --"),
  ];
  return { args, staged: stages };
}

/**
 * The command that runs `program` (with paths as seen inside) in a slot's sandbox: no network, no
 * environment, nothing of the machine but its libraries, the program, the site's sources, all read-only,
 * and the slot's output folder, under an unprivileged user in a user namespace that can't be nested.
 */
export function bubblewrapCommand(
  slot: Slot,
  bounds: SandboxBounds,
  program: string[],
): SandboxCommand {
  const list = bindings(slot);
  const outer = slot.uid === null ? { args: [], staged: list } : descent(slot.uid, list);
  const all = [...outer.args, ...innerArguments(outer.staged, bounds), ...program];
  const [command = "", ...args] = all;
  return { command, args };
}
