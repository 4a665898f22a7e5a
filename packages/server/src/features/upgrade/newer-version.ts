import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../kit/json.ts";
import { isoTime } from "../../kit/time.ts";
import { compareVersions, isVersion } from "../../kit/versions.ts";
import { undefinedIfMissing, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { ProgramSource } from "./sources.ts";
import { readState } from "./state.ts";

/** How often the network is asked, in ms. */
const checkIntervalMs = 24 * 60 * 60_000;
/** How long a failed upgrade is shown, in ms. */
const failureMs = 7 * 24 * 60 * 60_000;

const foundSchema = z.object({ version: z.string().refine(isVersion).nullable(), at: z.string() });
type Paths = Pick<InstancePaths, "upgrade">;

const fileOf = ({ upgrade }: Paths) => join(upgrade, "newest.json");

async function readFound(paths: Paths): Promise<z.infer<typeof foundSchema> | null> {
  const text = await undefinedIfMissing(readFile(fileOf(paths), "utf8"));
  try {
    return text === undefined ? null : foundSchema.parse(parseJson(text));
  } catch {
    return null;
  }
}

/** Asks `source` for the newest version and stores it, at most once a day. */
export async function updateNewestVersion(
  paths: Paths,
  { now, source }: { now: number; source(): Promise<Pick<ProgramSource, "newest">> },
): Promise<void> {
  const found = await readFound(paths);
  if (found !== null && Date.parse(found.at) > now - checkIntervalMs) return;
  await mkdir(paths.upgrade, { recursive: true, mode: 0o700 });
  const write = (version: string | null) =>
    writeFileAtomic(fileOf(paths), JSON.stringify({ version, at: isoTime(now) }), { mode: 0o600 });
  // Before the network is asked, so that a failure isn't repeated all the time.
  await write(found?.version ?? null);
  await write(await (await source()).newest());
}

/** What the owner should know of upgrades. */
export interface UpgradeNews {
  /** A newer version that was found when the network was asked last. */
  available: string | null;
  /** The last upgrade, if it failed within seven days. */
  failed: { to: string | null; step: string; reason: string | null } | null;
}

/** Reads what is known, without asking the network. `version`: the running one. */
export async function readUpgradeNews(
  paths: Paths,
  { version, now, isCheckOn }: { version: string; now: number; isCheckOn: boolean },
): Promise<UpgradeNews> {
  const [found, state] = await Promise.all([isCheckOn ? readFound(paths) : null, readState(paths)]);
  const newest = found?.version ?? null;
  const isNewer = newest !== null && compareVersions(newest, version) > 0;
  const endedAt = Date.parse(state?.finishedAt ?? "");
  const isRecent = state?.phase === "failed" && endedAt > now - failureMs;
  return {
    available: isNewer ? newest : null,
    failed: isRecent ? { to: state.to, step: state.step, reason: state.reason } : null,
  };
}
