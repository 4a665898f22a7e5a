import { z } from "zod";
import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Agent, type AgentContext, maxSubjectLength } from "../agent/agent.ts";
import { openJail } from "../agent/tools/jail.ts";
import type { AgentTool } from "../agent/tools/tool.ts";
import { bindTool } from "../agent/tools/toolbox.ts";
import { findSamples } from "../portability/import/samples.ts";
import { createdFieldsOf, wholeProject } from "../projects/run-changes/change.ts";
import { putChange } from "../projects/run-changes/store.ts";
import type { ProjectWithBrief } from "../projects/project.ts";
import { listAll } from "../projects/store.ts";
import { applySetup, sampleName } from "./apply-setup.ts";
import { readContentFiles, readShippedProjects } from "./content-files.ts";
import { fileTool, makeFormAgent, readPresent } from "./form-agent.ts";
import type { SetupInput } from "./site-texts.ts";
import { findPublishedForm } from "./store.ts";

/** The name of the setup among the forms that runs apply. */
export const setupForm = "setup";

export interface SetupAgentDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  /** The folder with the shipped content. */
  templateDir: string;
  /** The site's owner, who is the author unless the setup sets a name. */
  ownerName: string;
}

/** The author if the owner has no name. */
const namelessOwner = "Site owner";

/** The author of setup changes in the history: the owner, never the sample person. */
export async function setupActor(
  { templateDir, ownerName }: Pick<SetupAgentDependencies, "templateDir" | "ownerName">,
  { name }: SetupInput,
): Promise<string> {
  if (name !== undefined) return name;
  const isSample = ownerName === sampleName(await readContentFiles(templateDir));
  return isSample ? namelessOwner : ownerName;
}

/** The sample projects that are unchanged and have no private notes. */
export async function listSampleProjects(db: Db, templateDir: string): Promise<ProjectWithBrief[]> {
  const samples = findSamples(await listAll(db), await readShippedProjects(templateDir));
  return samples.filter(({ audience, brief }) => audience === "everyone" && brief === "");
}

/**
 * A step that stages the deletion of a sample project; publishing deletes it, and an undo restores
 * it.
 */
function removeProjectTool(
  { db, clock }: SetupAgentDependencies,
  runId: string,
  project: ProjectWithBrief,
): AgentTool {
  const title = `Remove the sample project “${project.name}”`;
  return {
    name: "remove_project",
    description: "Removes a sample project.",
    input: z.unknown(),
    title: () => title,
    async run() {
      await putChange(db, runId, {
        record: `project:${project.id}`,
        projectId: project.id,
        field: wholeProject,
        before: createdFieldsOf(project),
        after: null,
        changedAt: isoTime(clock.now()),
      });
      return { text: `${title}.`, title };
    },
  };
}

async function carryOut(
  deps: SetupAgentDependencies,
  context: AgentContext,
  { runId, input }: { runId: string; input: SetupInput },
): Promise<number> {
  const jail = await openJail(context.root, context.limits.workspace);
  const present = await readPresent(jail);
  const shipped = await readContentFiles(deps.templateDir);
  const before = (await findPublishedForm(deps.db, setupForm)) as SetupInput | null;
  let steps = 0;
  const step = async (tool: AgentTool): Promise<void> => {
    steps += 1;
    const report = await bindTool(tool, context, systemClock).call(`setup-${steps}`, {});
    if (!report.ok) throw new AppError("validation_failed", report.text);
  };
  const changed = applySetup({ present, shipped, before, input });
  for (const [path, after] of Object.entries(changed)) {
    await step(fileTool(context, jail, { path, before: present[path] ?? "", after }));
  }
  for (const project of await listSampleProjects(deps.db, deps.templateDir)) {
    await step(removeProjectTool(deps, runId, project));
  }
  return steps;
}

function subjectOf({ name }: SetupInput): string {
  const subject = name === undefined ? "Remove the sample person" : `Set up the site for ${name}`;
  return subject.length > maxSubjectLength ? `${subject.slice(0, maxSubjectLength - 1)}…` : subject;
}

/**
 * Applies the setup in a run's workspace, without a model: the answers in `input` replace the
 * sample person's content, and the sample projects are deleted. Its session can do nothing else, so
 * it can't fix a failed build.
 */
export async function makeSetupAgent(
  deps: SetupAgentDependencies,
  run: { runId: string; input: SetupInput },
): Promise<Agent> {
  return makeFormAgent(await setupActor(deps, run.input), async (context) => {
    const steps = await carryOut(deps, context, run);
    return {
      steps,
      message: subjectOf(run.input),
      summary:
        steps === 0
          ? "The site already matches your answers."
          : "Your answers are on the site, and the sample person’s texts and projects are gone.",
    };
  });
}
