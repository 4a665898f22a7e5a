import {
  type BackgroundDestination,
  openBackgroundDestination,
} from "../platform/background-destination.ts";
import type { DestinationStream } from "pino";
import { type Config, logFileOf } from "../platform/config.ts";
import { openRotatingFile, rotatingDestination } from "../platform/rotating-file.ts";
import type { RotatingFileOptions } from "../platform/rotating-file.ts";

/** Where a process logs line by line; null for stderr. */
export function logDestination(config: Config): DestinationStream | null {
  const file = logFileOf(config);
  return file && rotatingDestination(file);
}

/** A log in the background, to stderr or to a rotating file; what waits is written when the process exits. */
export function openBackgroundLog(file: RotatingFileOptions | null): BackgroundDestination {
  const destination = openBackgroundDestination(
    file === null ? {} : { descriptor: openRotatingFile(file).descriptor },
  );
  process.on("exit", destination.flushSync);
  return destination;
}
