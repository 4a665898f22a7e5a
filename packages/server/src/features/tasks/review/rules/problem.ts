/** What kind of thing no rule allows. */
export type ProblemGroup =
  | "outside"
  | "sensitive"
  | "markup"
  | "files"
  | "style"
  | "source"
  | "unread";

/** A difference that the task's scope doesn't explain. */
export interface Problem {
  group: ProblemGroup;
  /** A few words that precede “(/about/)”. */
  what: string;
  /** The page or file; null for the site as a whole. */
  path: string | null;
}
