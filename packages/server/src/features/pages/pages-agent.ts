import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Agent, type AgentContext, maxSubjectLength } from "../agent/agent.ts";
import { openJail } from "../agent/tools/jail.ts";
import { ToolRefusal } from "../agent/tools/refusal.ts";
import { bindTool } from "../agent/tools/toolbox.ts";
import { fileTool } from "../setup/form-agent.ts";
import { changePages } from "./change-page.ts";
import type { PagesInput } from "./schema.ts";
import { shareFile } from "./page-files.ts";

/** The name of this form among the forms that runs apply. */
export const pagesFormName = "pages";

function namesOf(files: readonly { file: string }[]): string {
  const names = files.map(({ file }) =>
    file === shareFile
      ? "share images"
      : file.replace(/^app\/src\/(?:pages\/|.*\/)/, "").replace(/\.(?:json|astro)$/, ""),
  );
  return names.join(", ");
}

/** The change's title in the history. */
export function pagesSubject({ changes, deletions = [] }: PagesInput): string {
  const parts = [
    ...(changes.length > 0 ? [`edit the content of ${namesOf(changes)}`] : []),
    ...(deletions.length > 0 ? [`delete the page ${namesOf(deletions)}`] : []),
  ].join(", ");
  const subject = parts.charAt(0).toUpperCase() + parts.slice(1);
  return subject.length > maxSubjectLength ? `${subject.slice(0, maxSubjectLength - 1)}…` : subject;
}

async function carryOut(
  context: AgentContext,
  { db, templateDir }: { db: Db; templateDir: string },
  input: PagesInput,
): Promise<number> {
  const { workspace } = context.limits;
  const site = await openJail(context.root, workspace);
  const changed = await changePages(
    { db, site, shipped: await openJail(templateDir, workspace) },
    input,
  );
  for (const [index, file] of changed.entries()) {
    const tool = bindTool(fileTool(context, site, file), context, systemClock);
    const report = await tool.call(`pages-${index + 1}`, {});
    if (!report.ok) throw new AppError("validation_failed", report.text);
  }
  return changed.length;
}

/** Applies changes to pages in a run's workspace, without a model. */
export function makePagesAgent(
  deps: { db: Db; templateDir: string; ownerName: string },
  input: PagesInput,
): Agent {
  return {
    name: deps.ownerName,
    model: "none",
    currency: null,
    open: (context) => ({
      async send() {
        const steps = await carryOut(context, deps, input).catch((error: unknown) => {
          if (!(error instanceof ToolRefusal)) throw error;
          throw new AppError("validation_failed", error.message, { cause: error });
        });
        return {
          summary:
            steps === 0
              ? "The pages already have this content."
              : "The pages have the new content.",
          message: pagesSubject(input),
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
