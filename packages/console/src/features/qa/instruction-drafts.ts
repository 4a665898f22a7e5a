import type { KeyValueStorage } from "../../ui/storage.ts";

/** Unsent notes on findings in this tab, kept until a task was created. */
export function makeInstructions(memory: KeyValueStorage) {
  const key = (findingId: number): string => `qa:${findingId}`;
  return {
    read: (findingId: number): string => memory.get(key(findingId)) ?? "",
    write(findingId: number, text: string): void {
      if (text === "") memory.remove(key(findingId));
      else memory.set(key(findingId), text);
    },
  };
}
