import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../kit/json.ts";
import { removeTemporaryFiles, undefinedIfMissing, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";

/**
 * How far an upgrade is. `preparing`: backup, new program, trial; nothing of the instance changes.
 * `ready`: whoever serves may switch. `switching`: nothing but public pages is served, and the last
 * trial runs. `committed`: the new program serves, whatever happens. `done` and `failed` are ends.
 */
const phases = ["preparing", "ready", "switching", "committed", "done", "failed"] as const;
export type UpgradePhase = (typeof phases)[number];

/** Programs of other versions read it, so fields are only added, and unknown ones are ignored. */
const stateSchema = z.object({
  from: z.string(),
  /** The new version; null until it is known. */
  to: z.string().nullable(),
  /** Whether the new program is in `programs`; otherwise it is the one that upgrades itself. */
  isFetched: z.boolean(),
  /** Whether the owner does without the trial on a copy of a PostgreSQL database. */
  withoutTrial: z.boolean(),
  phase: z.enum(phases),
  /** What is being done, or was when it failed. */
  step: z.string(),
  /** Why it failed. */
  reason: z.string().nullable(),
  /** The backup from before. */
  backup: z.string().nullable(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
});
export type UpgradeState = z.infer<typeof stateSchema>;

export const stateFile = ({ upgrade }: Pick<InstancePaths, "upgrade">) =>
  join(upgrade, "state.json");

/** The last upgrade; null if there was none, or if its state can't be read. */
export async function readState(
  paths: Pick<InstancePaths, "upgrade">,
): Promise<UpgradeState | null> {
  const text = await undefinedIfMissing(readFile(stateFile(paths), "utf8"));
  if (text === undefined) return null;
  try {
    return stateSchema.parse(parseJson(text));
  } catch {
    return null;
  }
}

/** Writes the state so that it survives a power failure. */
export async function writeState(
  paths: Pick<InstancePaths, "upgrade">,
  state: UpgradeState,
): Promise<UpgradeState> {
  await mkdir(paths.upgrade, { recursive: true, mode: 0o700 });
  await writeFileAtomic(stateFile(paths), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  return state;
}

/** Removes what killed writes of the state left. */
export const tidyState = (paths: Pick<InstancePaths, "upgrade">) =>
  removeTemporaryFiles(stateFile(paths));
