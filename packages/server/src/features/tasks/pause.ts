import { parsePause } from "../settings/queue-setting.ts";
import { type Settings, tasksDefinition } from "../settings/settings.ts";

/** Whether the queue is paused: runners then start nothing automatically. */
export interface QueuePause {
  get(): Promise<boolean>;
  set(paused: boolean): Promise<void>;
}

/** The pause of the queue, from the setting `tasks`. */
export function makeQueuePause(settings: Pick<Settings, "read" | "set">): QueuePause {
  return {
    get: async () => parsePause(await settings.read(tasksDefinition)),
    set: (paused) => settings.set(tasksDefinition, JSON.stringify({ paused })),
  };
}
