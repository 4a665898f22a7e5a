import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { type FilmSandbox, openFilmSandbox } from "./sandbox.ts";
import type { FilmToolPlaces } from "./tools.ts";

export type FilmState = { available: true; tier: string } | { available: false; reason: string };

interface LookoutOptions {
  sandbox: Config["sandbox"];
  log: Log;
  clock: Clock;
  tools?: FilmToolPlaces;
}

/** How often it is looked again, at the most, in ms. */
const lookAgainMs = 5_000;

/** Finds the sandbox again whenever it is not there, so that installing ffmpeg takes no restart. */
export async function makeLookout(options: LookoutOptions) {
  const { log, clock } = options;
  let sandbox: FilmSandbox | undefined;
  let reason = "";
  let looking: Promise<void> | undefined;
  let lookedAt = -Infinity;
  const look = async (): Promise<void> => {
    try {
      const found = await openFilmSandbox(options.sandbox, options.tools ?? {});
      const { reason: weakness } = found;
      if (weakness !== null) {
        log.warn({ tier: found.sandbox.tier, reason: weakness }, "films are not fully contained");
      }
      sandbox = found.sandbox;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== reason) log.warn({ reason: message }, "films can't be taken");
      reason = message;
    } finally {
      lookedAt = clock.monotonic();
      looking = undefined;
    }
  };
  const lookOnce = (): Promise<void> => (looking ??= look());
  await lookOnce();
  return {
    state(): FilmState {
      if (sandbox !== undefined) return { available: true, tier: sandbox.tier };
      if (clock.monotonic() - lookedAt >= lookAgainMs) void lookOnce();
      return { available: false, reason };
    },
    /** Throws AppError `unavailable` when there still is none. */
    async sandbox(): Promise<FilmSandbox> {
      if (sandbox === undefined) await lookOnce();
      if (sandbox === undefined) throw new AppError("unavailable", reason);
      return sandbox;
    },
  };
}
