import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import type { Agent, AgentContext } from "../agent/agent.ts";
import { countsOf } from "../agent/tools/file-change.ts";
import type { Jail } from "../agent/tools/jail.ts";
import { ToolRefusal } from "../agent/tools/refusal.ts";
import { compareTexts } from "../agent/tools/text-work.ts";
import { type AgentTool, fileName } from "../agent/tools/tool.ts";
import { type ContentFiles, setupFiles } from "./apply-setup.ts";

/** The existing files of the workspace that a form may change. */
export async function readPresent(jail: Jail): Promise<ContentFiles> {
  const files: [string, string][] = [];
  for (const path of setupFiles) {
    if (await jail.exists(path)) files.push([path, await jail.readText(path)]);
  }
  return Object.fromEntries(files);
}

/** A step that writes or deletes one file. */
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

/** The result of applying a form. */
export interface FormResult {
  steps: number;
  summary: string;
  /** The subject of the commit. */
  message: string;
}

/**
 * Applies a form in a run's workspace, without a model. Its session can do nothing else, so it
 * can't fix a failed build.
 */
export function makeFormAgent(
  name: string,
  carryOut: (context: AgentContext) => Promise<FormResult>,
): Agent {
  const noUse = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null, currency: null };
  return {
    name,
    model: "none",
    currency: null,
    open: (context) => ({
      async send() {
        const result = await carryOut(context).catch((error: unknown) => {
          if (!(error instanceof ToolRefusal)) throw error;
          throw new AppError("validation_failed", error.message, { cause: error });
        });
        return { ...result, ...noUse };
      },
      async repair(failure) {
        throw new AppError("validation_failed", failure);
      },
    }),
  };
}
