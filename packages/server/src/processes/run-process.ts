import { flushCompileCache } from "node:module";
import { AppError } from "../kit/errors.ts";
import { createLog, type Log } from "../platform/log.ts";

/** A process that serves until it is closed. */
export interface Service {
  /** Stops accepting work, completes what is running, and releases everything. */
  close(): Promise<void>;
}

/** The exit code of a start that can't succeed by retrying; the supervisor gives up. */
export const configurationExitCode = 2;

/** Why a start failed, and whether only the owner can fix it. */
function reasonOf(error: unknown): { message: string; isConfiguration: boolean } {
  const { code, port } = error as { code?: unknown; port?: unknown };
  if (code === "EADDRINUSE" || code === "EACCES") {
    const why = code === "EACCES" ? "may not be used by this user" : "is in use";
    return { message: `Port ${String(port)} ${why}: choose another one.`, isConfiguration: true };
  }
  const isConfiguration = error instanceof AppError && error.code === "bad_request";
  return { message: error instanceof Error ? error.message : "The start failed.", isConfiguration };
}

/** Logs in one line why a start failed. Returns the exit code. */
export function reportFailedStart(log: Log, error: unknown): number {
  const { message, isConfiguration } = reasonOf(error);
  log.fatal({ err: error }, message);
  return isConfiguration ? configurationExitCode : 1;
}

/**
 * Runs a service as this process: sends `ready` to its parent, drains on SIGTERM and SIGINT, and
 * logs one line if the start fails. A second signal ends it immediately.
 */
export async function runProcess(name: string, start: () => Promise<Service>): Promise<void> {
  let service: Service;
  try {
    service = await start();
  } catch (error) {
    process.exit(reportFailedStart(createLog({ level: "info", name }), error));
  }
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    service.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // If the supervisor dies, its services end, too, because nobody would restart them.
  process.on("disconnect", stop);
  process.send?.("ready");
  // A killed process couldn't store its compiled code.
  setImmediate(flushCompileCache);
}
