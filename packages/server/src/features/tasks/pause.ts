import { parsePause } from "../settings/queue-setting.ts";
import { type Settings, tasksDefinition } from "../settings/settings.ts";

/** Whether the queue rests: runners then take nothing up by themselves. */
export interface QueuePause {
  get(): Promise<boolean>;
  set(paused: boolean): Promise<void>;
}

/** The queue's rest, as the setting `tasks` has it. */
export function makeQueuePause(settings: Pick<Settings, "read" | "set">): QueuePause {
  return {
    get: async () => parsePause(await settings.read(tasksDefinition)),
    set: (paused) => settings.set(tasksDefinition, JSON.stringify({ paused })),
  };
}
