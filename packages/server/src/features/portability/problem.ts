/**
 * The severity: an error prevents the import, a warning means that something is left out or
 * unclear.
 */
export type Level = "error" | "warning" | "note";

/** A note for the owner about the content to import. */
export interface Problem {
  level: Level;
  /** Its path in the imported folder. */
  file: string;
  /** From 1; null if it concerns the whole file. */
  line: number | null;
  /** The name in the front matter, or a JSON pointer (RFC 6901) in a JSON file; null for neither. */
  field: string | null;
  message: string;
}

/** A file that isn't imported, and the reason. */
export interface Skipped {
  /** Its path in the imported folder. */
  file: string;
  reason: string;
}

/** Whether there are no errors. */
export function isPossible(problems: readonly Problem[]): boolean {
  return problems.every(({ level }) => level !== "error");
}
