import type { KeyValueStorage } from "../../ui/storage.ts";

/** What the owner has begun to say to findings, of this tab; it is kept until a task was made of it. */
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
