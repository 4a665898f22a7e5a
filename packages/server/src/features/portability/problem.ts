/** How much it matters: an error keeps all from being done, a warning leaves something out or open. */
export type Level = "error" | "warning" | "note";

/** Something about what is to be imported that its owner should know. */
export interface Problem {
  level: Level;
  /** Below the folder that is imported. */
  file: string;
  /** From 1; null where it is about the file as a whole. */
  line: number | null;
  /** The name in the front matter, or a JSON pointer (RFC 6901) in a JSON file; null for neither. */
  field: string | null;
  message: string;
}

/** A file that is not imported, and why. */
export interface Skipped {
  /** Below the folder that is imported. */
  file: string;
  reason: string;
}

/** Whether nothing stands in the way. */
export function isPossible(problems: readonly Problem[]): boolean {
  return problems.every(({ level }) => level !== "error");
}
