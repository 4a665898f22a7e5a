import type { ProjectWithBrief } from "../../projects/project.ts";
import type { Study } from "../study/study.ts";

export type StepAction = "create" | "update" | "same" | "conflict";

/** What becomes of one case study. */
export interface ProjectStep {
  action: StepAction;
  study: Study;
  /** The project that has the slug. */
  present: ProjectWithBrief | null;
  /** The names of the fields that become something else. */
  changes: string[];
  /** Former slugs that lead to it from then on. */
  aliases: string[];
}
