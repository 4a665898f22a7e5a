import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { type VideoSandbox, openVideoSandbox } from "./sandbox.ts";
import type { FfmpegLocations } from "./ffmpeg-tools.ts";

export type VideoState = { available: true; tier: string } | { available: false; reason: string };

interface FfmpegAvailabilityDependencies {
  sandbox: Config["sandbox"];
  log: Log;
  clock: Clock;
  tools?: FfmpegLocations;
}

/** How often availability is checked again at most, in ms. */
const recheckMs = 5_000;

/** Checks again while the sandbox is unavailable, so that installing ffmpeg needs no restart. */
export async function makeFfmpegAvailability(deps: FfmpegAvailabilityDependencies) {
  const { log, clock } = deps;
  let sandbox: VideoSandbox | undefined;
  let reason = "";
  let checking: Promise<void> | undefined;
  let checkedAt = -Infinity;
  const check = async (): Promise<void> => {
    try {
      const found = await openVideoSandbox(deps.sandbox, deps.tools ?? {});
      const { reason: weakness } = found;
      if (weakness !== null) {
        log.warn({ tier: found.sandbox.tier, reason: weakness }, "videos aren't fully sandboxed");
      }
      sandbox = found.sandbox;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== reason) log.warn({ reason: message }, "videos can't be accepted");
      reason = message;
    } finally {
      checkedAt = clock.monotonic();
      checking = undefined;
    }
  };
  const checkOnce = (): Promise<void> => (checking ??= check());
  await checkOnce();
  return {
    state(): VideoState {
      if (sandbox !== undefined) return { available: true, tier: sandbox.tier };
      if (clock.monotonic() - checkedAt >= recheckMs) void checkOnce();
      return { available: false, reason };
    },
    /** Throws AppError `unavailable` if there is still none. */
    async sandbox(): Promise<VideoSandbox> {
      if (sandbox === undefined) await checkOnce();
      if (sandbox === undefined) throw new AppError("unavailable", reason);
      return sandbox;
    },
  };
}
