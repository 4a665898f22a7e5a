import type { ProjectWithBrief } from "../../projects/project.ts";
import type { Study } from "../study/study.ts";

export type StepAction = "create" | "update" | "same" | "conflict";

/** What happens to one case study. */
export interface ProjectStep {
  action: StepAction;
  study: Study;
  /** The existing project with this slug. */
  present: ProjectWithBrief | null;
  /** The names of the fields that change. */
  changes: string[];
  /** Former slugs that will redirect to it. */
  aliases: string[];
}
