import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { nodeBinary, platformRoot, programFile } from "../../../platform/paths.ts";
import { type Command, commandOf, prlimitPrefix } from "../../../platform/sandbox/command.ts";
import { landlockCommand } from "../../../platform/sandbox/landlock.ts";
import { programFiles } from "../../../platform/sandbox/program-files.ts";
import {
  launch as launchCommand,
  type SandboxedProcess,
} from "../../../platform/sandbox/launch.ts";
import { type CodeUse, codeFolderName, type CompiledCode, madeFolder } from "./code-cache.ts";
import { builderCommand, insidePaths } from "./sandbox-bubblewrap.ts";
import {
  type BuilderPaths,
  processBounds,
  type SandboxBounds,
  type Slot,
  writableFolders,
} from "./sandbox-bounds.ts";

/**
 * How far a build is kept in: `bubblewrap` is containment (no network, no files, no survivors), and so
 * is `landlock`, which needs no namespaces but lets a build find out whether a path exists; `permission` is Node's own permission model, which stops mistakes but not everything meant badly;
 * `none` is a process with an empty environment and bounds.
 */
export type SandboxTier = "bubblewrap" | "landlock" | "permission" | "none";

/** Whether what a build does stays in its sandbox, so that nobody has to look at it before. */
export function isContained(tier: SandboxTier): tier is "bubblewrap" | "landlock" {
  return tier === "bubblewrap" || tier === "landlock";
}

/** Where things are without a mount namespace: at their own places. */
function outsidePaths(slot: Slot): BuilderPaths {
  return {
    script: programFile(
      join(platformRoot, "packages/server/src/features/release/builder/builder.ts"),
    ),
    site: slot.site,
    out: slot.out,
    temporary: slot.temporary,
  };
}

/** The paths that a builder in this tier is told. */
export function builderPaths(tier: SandboxTier, slot: Slot): BuilderPaths {
  return tier === "bubblewrap" ? insidePaths : outsidePaths(slot);
}

function outsideEnvironment(slot: Slot): Record<string, string> {
  return {
    PATH: "/usr/bin:/bin",
    HOME: slot.temporary,
    TMPDIR: slot.temporary,
    NODE_ENV: "production",
    ASTRO_TELEMETRY_DISABLED: "1",
    NO_COLOR: "1",
    LANG: "C.UTF-8",
  };
}

/** The program's own files that a build reads. */
const readableFiles = [...programFiles(), join(platformRoot, "packages/template")];

/** Node's permission model: reading the program and the slot, writing what a build writes. */
function permissionFlags(slot: Slot): string[] {
  const readable = [...readableFiles, slot.dir];
  // Vite and Astro ask at start what they run on, and take no for an answer only where it is "missing".
  readable.push(
    "/proc/sys/fs/binfmt_misc/WSLInterop",
    "/.dockerenv",
    "/run/.containerenv",
    "/run/WSL",
  );
  readable.push("/proc/self", "/proc/version");
  return [
    "--permission",
    "--disable-warning=SecurityWarning",
    "--allow-addons",
    "--allow-worker",
    // Astro runs esbuild as a process of its own, so what it starts is out of reach of these rules.
    "--allow-child-process",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writableFolders(slot).map((path) => `--allow-fs-write=${path}`),
  ];
}

/**
 * Has Node look for compiled code in a folder of the slot. It is a link, because the name that Node looks
 * for depends on the user.
 */
export async function linkCode(slot: Slot, code: CompiledCode): Promise<void> {
  await mkdir(codeFolderOf(slot), { mode: 0o755 });
  await symlink(code.folder, join(codeFolderOf(slot), codeFolderName(code, slot)));
}

const codeFolderOf = (slot: Slot) => join(slot.dir, "code");

function codeEnvironment(slot: Slot, code: CodeUse): Record<string, string> {
  if (code === null) return {};
  const folder = code === "make" ? join(slot.out, madeFolder) : codeFolderOf(slot);
  return { NODE_COMPILE_CACHE: folder };
}

/**
 * The command that runs Node with `nodeArguments` (paths as `builderPaths` gives them) in a tier. Only
 * contained builders use compiled code.
 */
export function sandboxCommand(
  tier: SandboxTier,
  slot: Slot,
  bounds: SandboxBounds,
  nodeArguments: string[],
  code: CodeUse = null,
): Command {
  if (tier === "bubblewrap") {
    return builderCommand(slot, bounds, nodeArguments, code);
  }
  if (tier === "landlock") {
    return landlockCommand({
      program: [nodeBinary, ...nodeArguments],
      readable: [
        ...readableFiles,
        slot.site,
        ...(code === null || code === "make" ? [] : [codeFolderOf(slot), code.folder]),
      ],
      writable: writableFolders(slot),
      environment: { ...outsideEnvironment(slot), ...codeEnvironment(slot, code) },
      bounds: processBounds(bounds),
      uid: slot.uid,
    });
  }
  const flags = tier === "permission" ? permissionFlags(slot) : [];
  return commandOf([
    ...prlimitPrefix(processBounds(bounds)),
    nodeBinary,
    ...flags,
    ...nodeArguments,
  ]);
}

/** Starts a sandbox command of a tier. Throws AppError `unavailable` when it can't be started. */
export function launch(tier: SandboxTier, slot: Slot, command: Command): Promise<SandboxedProcess> {
  if (isContained(tier)) return launchCommand(command, { contained: tier, cwd: "/", env: {} });
  const env = outsideEnvironment(slot);
  return launchCommand(command, { contained: null, cwd: slot.dir, env });
}
