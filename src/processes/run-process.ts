import { AppError } from "../kit/errors.ts";
import { createLog } from "../platform/log.ts";

/** A process that serves until it is closed. */
export interface Service {
  /** Stops taking work, finishes what is under way, lets go of everything. */
  close(): Promise<void>;
}

/** What a start that can't succeed by trying again exits with; the supervisor gives up on it. */
const configurationExit = 2;

/**
 * Runs a service as this process: says `ready` to its parent, drains on SIGTERM and SIGINT, and on
 * a failed start says why in one log line. A second signal ends at once.
 */
export async function runProcess(name: string, start: () => Promise<Service>): Promise<void> {
  let service: Service;
  try {
    service = await start();
  } catch (error) {
    const log = createLog({ level: "info", name });
    const isConfiguration = error instanceof AppError && error.code === "bad_request";
    log.fatal({ err: error }, error instanceof Error ? error.message : "the start failed");
    process.exit(isConfiguration ? configurationExit : 1);
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
  // A supervisor that dies takes its services with it: nobody would restart them.
  process.on("disconnect", stop);
  process.send?.("ready");
}
