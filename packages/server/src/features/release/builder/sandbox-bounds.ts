import { join } from "node:path";
import type { ProcessLimits } from "../../../platform/sandbox/command.ts";

export interface SandboxBounds {
  /** Processes and threads of one build. */
  processes: number;
  /** Unshared memory of all of its processes. */
  memoryBytes: number;
  /** What it may write, in all. */
  outputBytes: number;
  /** CPU time of one of its processes. */
  cpuSeconds: number;
}

/** Where the builder finds its parts, as it sees them. */
export interface BuilderPaths {
  script: string;
  site: string;
  out: string;
  temporary: string;
}

/** The folders of one builder, which serves one build and is thrown away with them. */
export interface Slot {
  dir: string;
  /** Read by the build: app/, brand/, database/, snapshot.json, and published/ of what is live. */
  site: string;
  /** Written by the build. */
  out: string;
  /** Scratch of the tiers without a mount namespace. */
  temporary: string;
  /** The user the build runs as; null: the same as this process. */
  uid: number | null;
}

/** Where a build can write, as this process sees it. */
export function writableFolders({ out, temporary, site }: Slot): [string, ...string[]] {
  return [out, temporary, join(site, "app/.astro")];
}

/** What Node reserves without using it; the watchdog is what holds a build to its memory. */
const dataSlack = 2 ** 31;

/** What each process of a build may take, in every tier. */
export function processBounds(bounds: SandboxBounds): ProcessLimits {
  return {
    processes: bounds.processes,
    fileBytes: bounds.outputBytes,
    dataBytes: bounds.memoryBytes + dataSlack,
    cpuSeconds: bounds.cpuSeconds,
  };
}
