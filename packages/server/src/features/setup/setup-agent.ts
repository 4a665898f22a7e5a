import { z } from "zod";
import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Agent, type AgentContext, maxSubjectLength } from "../agent/agent.ts";
import { countsOf } from "../agent/tools/file-change.ts";
import { type Jail, openJail } from "../agent/tools/jail.ts";
import { ToolRefusal } from "../agent/tools/refusal.ts";
import { compareTexts } from "../agent/tools/text-work.ts";
import { type AgentTool, fileName } from "../agent/tools/tool.ts";
import { bindTool } from "../agent/tools/toolbox.ts";
import { findSamples } from "../portability/import/samples.ts";
import { createdFieldsOf, wholeProject } from "../projects/run-changes/change.ts";
import { putChange } from "../projects/run-changes/store.ts";
import type { ProjectWithBrief } from "../projects/project.ts";
import { listAll } from "../projects/store.ts";
import { applySetup, type ContentFiles, sampleName, setupFiles } from "./apply-setup.ts";
import { readContentFiles, readShippedProjects } from "./content-files.ts";
import type { SetupInput } from "./site-texts.ts";
import { findPublishedForm } from "./store.ts";

/** The name of the set-up among the forms that runs carry out. */
export const setupForm = "setup";

export interface SetupAgentDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  /** The folder with the content as it is shipped. */
  templateDir: string;
  /** The site owner, whose change it is unless the set-up says who that is. */
  ownerName: string;
}

/** Whose change it is where nobody has said who the owner is. */
const namelessOwner = "Site owner";

/** Who carries the set-up out, as the history names them: nobody but the owner, and not the sample. */
export async function setupActor(
  { templateDir, ownerName }: Pick<SetupAgentDependencies, "templateDir" | "ownerName">,
  { name }: SetupInput,
): Promise<string> {
  if (name !== undefined) return name;
  const isSample = ownerName === sampleName(await readContentFiles(templateDir));
  return isSample ? namelessOwner : ownerName;
}

async function readPresent(jail: Jail): Promise<ContentFiles> {
  const files: [string, string][] = [];
  for (const path of setupFiles) {
    if (await jail.exists(path)) files.push([path, await jail.readText(path)]);
  }
  return Object.fromEntries(files);
}

/** A step that writes or removes one file. */
export function fileTool(
  context: AgentContext,
  jail: Jail,
  file: { path: string; before: string; after: string | null },
): AgentTool {
  const { path, before, after } = file;
  const verb = after === null ? "Remove" : "Edit";
  return {
    name: after === null ? "delete" : "edit",
    description: "Writes or removes a file.",
    input: z.unknown(),
    title: () => `${verb} ${fileName(path)}`,
    async run() {
      const change = await compareTexts(context, { path, before, after: after ?? "" });
      if (after === null) await jail.remove(path);
      else await jail.writeText(path, after);
      const done = after === null ? "Removed" : "Edited";
      return {
        text: `${done} ${path} (${countsOf(change)}).`,
        title: `${done} ${fileName(path)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}

/** The sample projects that nobody has changed, and of which nothing private is noted. */
export async function listSampleProjects(db: Db, templateDir: string): Promise<ProjectWithBrief[]> {
  const samples = findSamples(await listAll(db), await readShippedProjects(templateDir));
  return samples.filter(({ audience, brief }) => audience === "everyone" && brief === "");
}

/** A step that notes with the run that a sample project goes; its publish removes it, an undo brings it back. */
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
 * Carries the set-up out in a run's workspace, without a model: the answers of `input` take the place
 * of the sample person's words, and the sample projects go. Its session knows nothing else: what a build
 * says of the result can't be repaired by it.
 */
export async function makeSetupAgent(
  deps: SetupAgentDependencies,
  run: { runId: string; input: SetupInput },
): Promise<Agent> {
  return {
    name: await setupActor(deps, run.input),
    model: "none",
    currency: null,
    open: (context) => ({
      async send() {
        const steps = await carryOut(deps, context, run).catch((error: unknown) => {
          if (!(error instanceof ToolRefusal)) throw error;
          throw new AppError("validation_failed", error.message, { cause: error });
        });
        return {
          summary:
            steps === 0
              ? "The site already says what was answered in the set-up."
              : "The answers of the set-up are on the site, and the sample person’s words and projects are gone.",
          message: subjectOf(run.input),
          steps,
          inputTokens: 0,
          outputTokens: 0,
          cachedTokens: 0,
          cost: null,
          currency: null,
        };
      },
      async repair(failure) {
        throw new AppError("validation_failed", failure);
      },
    }),
  };
}
