/** What kind of thing no rule allows. */
export type ProblemGroup =
  | "outside"
  | "sensitive"
  | "markup"
  | "files"
  | "style"
  | "source"
  | "unread";

/** One difference that the task's scope doesn't explain. */
export interface Problem {
  group: ProblemGroup;
  /** In a few words, to be followed by “(/about/)”. */
  what: string;
  /** The page or file; null for the site as a whole. */
  path: string | null;
}
