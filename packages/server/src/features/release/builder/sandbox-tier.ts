import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { exists, removeTree } from "../../../platform/files.ts";
import { programFile } from "../../../platform/paths.ts";
import { makeBuildLog } from "./build-log.ts";
import type { SandboxBounds } from "./sandbox-bounds.ts";
import { builderPaths, isContained, launch, sandboxCommand, type SandboxTier } from "./sandbox.ts";
import { makeSlot } from "./slot.ts";

export type SandboxMode = "auto" | "require" | "off";

/** The tier that builds run in here, and in plain words why it is not a better one. */
export interface ChosenTier {
  tier: SandboxTier;
  reason: string | null;
}

const probeTimeoutMs = 20_000;

/** What is wrong with a tier on this machine, found by running the probe in it; null: nothing. */
async function probe(
  tier: SandboxTier,
  buildersDir: string,
  bounds: SandboxBounds,
): Promise<string | null> {
  const name = `${process.pid}-probe-${randomBytes(4).toString("hex")}`;
  const forbidden = join(buildersDir, `${name}.txt`);
  const server = createServer((socket) => socket.destroy());
  try {
    await mkdir(buildersDir, { recursive: true });
    await writeFile(forbidden, "forbidden");
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const slot = await makeSlot(buildersDir, name, 0);
    const { script, out } = builderPaths(tier, slot);
    const probeScript = programFile(join(dirname(script), "sandbox-probe.ts"));
    const program = [probeScript, out, forbidden, `${port}`];
    const sandbox = await launch(tier, slot, sandboxCommand(tier, slot, bounds, program));
    const log = makeBuildLog(undefined);
    for (const stream of sandbox.output) log.follow(stream);
    const timer = setTimeout(() => void sandbox.kill(), probeTimeoutMs);
    let problems: string[] | undefined;
    sandbox.onMessage((line) => {
      problems = (JSON.parse(line) as { problems: string[] }).problems;
    });
    await sandbox.exited;
    clearTimeout(timer);
    await sandbox.outputClosed;
    if (problems === undefined) return log.text().split("\n")[0] || "it does not start";
    if (!(await exists(join(slot.out, ".probe")))) return "its output does not arrive";
    const relevant = isContained(tier) ? problems : problems.filter((p) => /files/.test(p));
    return relevant[0] ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    server.close();
    await removeTree(join(buildersDir, name));
    await removeTree(forbidden);
  }
}

/**
 * Finds the best tier that works here by running it. `require` throws AppError `unavailable` unless
 * builds are contained in it; `off` takes none.
 */
export async function chooseTier(
  mode: SandboxMode,
  buildersDir: string,
  bounds: SandboxBounds,
): Promise<ChosenTier> {
  if (mode === "off") return { tier: "none", reason: "The sandbox is switched off (SANDBOX=off)." };
  const bubblewrap = await probe("bubblewrap", buildersDir, bounds);
  if (bubblewrap === null) return { tier: "bubblewrap", reason: null };
  const landlock = await probe("landlock", buildersDir, bounds);
  if (landlock === null) return { tier: "landlock", reason: null };
  const why = `bubblewrap doesn't work here: ${bubblewrap}; Landlock doesn't work, either: ${landlock}`;
  if (mode === "require") throw new AppError("unavailable", `SANDBOX=require, but ${why}`);
  const permission = await probe("permission", buildersDir, bounds);
  if (permission === null) return { tier: "permission", reason: `${why}.` };
  return {
    tier: "none",
    reason: `${why}; Node's permission model doesn't work, either: ${permission}.`,
  };
}
