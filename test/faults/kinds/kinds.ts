import { clock } from "./clock.ts";
import type { FaultKind } from "./fault.ts";
import { descriptors, kill, pause } from "./processes.ts";
import { database } from "./server.ts";
import { disk, locked, power, readOnly } from "./storage.ts";

/** All kinds of faults, by their name for `--only`. */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  kill,
  pause,
  power,
  disk,
  locked,
  "read-only": readOnly,
  database,
  descriptors,
  clock,
};
