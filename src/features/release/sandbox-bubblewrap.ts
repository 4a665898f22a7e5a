import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary, platformRoot } from "../../platform/paths.ts";
import type { BuilderPaths, SandboxBounds, SandboxCommand, Slot } from "./sandbox-parts.ts";

/** Where things are as the code inside the sandbox sees them. */
export const insidePaths: BuilderPaths = {
  script: "/platform/src/features/release/builder.ts",
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
  return [
    "/prlimit",
    `--nproc=${bounds.processes}`,
    "--nofile=4096",
    `--fsize=${bounds.outputBytes}`,
    `--data=${Math.max(bounds.memoryBytes, 2 ** 31)}`,
    `--cpu=${bounds.cpuSeconds}`,
    "--core=0",
    "--",
  ];
}

function innerArguments(list: Binding[], bounds: SandboxBounds): string[] {
  return [
    "/usr/bin/env",
    "-i",
    "bwrap",
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--clearenv",
    ...Object.entries(builderEnvironment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...libraryArguments(),
    ...["--ro-bind", "/usr/bin/prlimit", "/prlimit"],
    ...["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"],
    ...bindArguments(list),
    ...["--size", String(temporaryBytes), "--tmpfs", insidePaths.temporary],
    ...["--size", String(dotAstroBytes), "--tmpfs", `${insidePaths.site}/app/.astro`],
    ...["--remount-ro", "/", "--chdir", "/", "--info-fd", "4", "--"],
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
 * The command that runs `program` (with paths as seen inside) in a slot's sandbox: no network, no
 * environment, nothing of the machine but its libraries, the program, the site's sources, all read-only,
 * and the slot's output folder.
 *
 * Root gives its rights away first: an outer bubblewrap collects the folders under /mnt, because the
 * unprivileged user may have no way to where they are (an instance below /root), then setpriv changes
 * the user and the inner one makes the sandbox, with a user namespace of its own that can't be nested.
 */
export function bubblewrapCommand(
  slot: Slot,
  bounds: SandboxBounds,
  program: string[],
): SandboxCommand {
  const list = bindings(slot);
  if (slot.uid === null) {
    const [command = "", ...args] = [...innerArguments(list, bounds), ...program];
    return { command, args };
  }
  const staged = list.map((binding, index) => ({ ...binding, stage: `/mnt/${index}` }));
  const args = [
    ...["-i", "bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", "/mnt"],
    ...bindArguments(staged.map(({ stage, ...binding }) => ({ ...binding, to: stage }))),
    ...["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP", "--"],
    ...["/usr/bin/setpriv", "--reuid", String(slot.uid), "--regid", String(slot.uid)],
    ...["--clear-groups", "--bounding-set", "-all", "--inh-caps", "-all"],
    ...["--pdeathsig", "KILL", "--"],
    ...innerArguments(
      staged.map(({ stage, ...binding }) => ({ ...binding, from: stage })),
      bounds,
    ),
    ...program,
  ];
  return { command: "/usr/bin/env", args };
}
