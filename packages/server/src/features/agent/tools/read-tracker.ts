import { sha256Hex } from "../../../kit/hash.ts";
import { ToolRefusal } from "./refusal.ts";

/** What the model last saw of each file, or made of it. */
export interface ReadTracker {
  markRead(path: string, text: string): void;
  forget(path: string): void;
  /** Throws ToolRefusal when the file isn't any more what the model saw; one it never saw is fine. */
  assertUnchanged(path: string, text: string): void;
  all(): Record<string, string>;
}

/** @param earlier what an earlier run's conversation saw */
export function makeReadTracker(earlier: Readonly<Record<string, string>> = {}): ReadTracker {
  const hashes = new Map(Object.entries(earlier));
  return {
    markRead(path, text) {
      // Read again: it moves to the end, where it is kept longest.
      hashes.delete(path);
      hashes.set(path, sha256Hex(text));
    },
    forget: (path) => void hashes.delete(path),
    assertUnchanged(path, text) {
      const known = hashes.get(path);
      if (known === undefined || known === sha256Hex(text)) return;
      throw new ToolRefusal(
        "no_match",
        `${path} has changed since you read it. Read it again before you change it.`,
      );
    },
    all: () => Object.fromEntries(hashes),
  };
}
