import { join } from "node:path";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import { type Command, commandOf, prlimitPrefix } from "../../../platform/sandbox/command.ts";
import {
  launch as launchCommand,
  type SandboxedProcess,
} from "../../../platform/sandbox/launch.ts";
import { builderCommand, insidePaths } from "./sandbox-bubblewrap.ts";
import {
  type BuilderPaths,
  processBounds,
  type SandboxBounds,
  type Slot,
} from "./sandbox-bounds.ts";

/**
 * How far a build is kept in: `bubblewrap` is containment (no network, no files, no survivors);
 * `permission` is Node's own permission model, which stops mistakes but not everything meant badly;
 * `none` is a process with an empty environment and bounds.
 */
export type SandboxTier = "bubblewrap" | "permission" | "none";

/** Where things are without a mount namespace: at their own places. */
function outsidePaths(slot: Slot): BuilderPaths {
  return {
    script: join(platformRoot, "packages/server/src/features/release/builder/builder.ts"),
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

/** Node's permission model: reading the program and the slot, writing what a build writes. */
function permissionFlags(slot: Slot): string[] {
  const readable = [join(platformRoot, "package.json"), slot.dir];
  readable.push(join(platformRoot, "packages/server/package.json"));
  readable.push(
    ...["packages/server/src", "node_modules", "packages/template"].map((name) =>
      join(platformRoot, name),
    ),
  );
  // Vite and Astro ask at start what they run on, and take no for an answer only where it is "missing".
  readable.push(
    "/proc/sys/fs/binfmt_misc/WSLInterop",
    "/.dockerenv",
    "/run/.containerenv",
    "/run/WSL",
  );
  readable.push("/proc/self", "/proc/version");
  const writable = [slot.out, slot.temporary, join(slot.site, "app/.astro")];
  return [
    "--permission",
    "--disable-warning=SecurityWarning",
    "--allow-addons",
    "--allow-worker",
    // Astro runs esbuild as a process of its own, so what it starts is out of reach of these rules.
    "--allow-child-process",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
  ];
}

/** The command that runs Node with `nodeArguments` (paths as `builderPaths` gives them) in a tier. */
export function sandboxCommand(
  tier: SandboxTier,
  slot: Slot,
  bounds: SandboxBounds,
  nodeArguments: string[],
): Command {
  if (tier === "bubblewrap") {
    return builderCommand(slot, bounds, nodeArguments);
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
  const contained = tier === "bubblewrap";
  return launchCommand(command, {
    contained,
    cwd: contained ? "/" : slot.dir,
    env: contained ? {} : outsideEnvironment(slot),
  });
}
