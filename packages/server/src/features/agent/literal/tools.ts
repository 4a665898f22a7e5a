import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import type { AgentContext } from "../agent.ts";
import { countsOf } from "../tools/file-change.ts";
import type { Jail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import { compareTexts } from "../tools/text-work.ts";
import { type AgentTool, fileName } from "../tools/tool.ts";
import type { LiteralFailure, LiteralStep, LiteralWork } from "./literal-worker.ts";

/** The AppError for a failure. */
export function errorOf({ code, message, fields }: LiteralFailure): AppError {
  return new AppError(code, message, fields ? { fields } : {});
}

/**
 * A step that reports the result of one command. Failure is a refusal with the AppError as its
 * cause.
 */
export function findTool({ object, found }: LiteralStep): AgentTool {
  return {
    name: "find",
    description: "Finds where a text is.",
    input: z.unknown(),
    title: () => `Look for ${object}`,
    async run() {
      if (!("failure" in found)) return found;
      const cause = errorOf(found.failure);
      throw new ToolRefusal("no_match", cause.message, { cause });
    },
  };
}

/** A step that says that the owner's note to an exact instruction was ignored. */
export const noteTool: AgentTool = {
  name: "note",
  description: "Says that a note isn't followed.",
  input: z.unknown(),
  title: () => "Read the note",
  run: async () => ({
    text: "The note was ignored: it needs a model, and none is set up.",
    title: "Ignored the note because it needs a model",
  }),
};

/** A step that writes one changed file. */
export function saveTool(
  { jail, workers, signal }: { jail: Jail } & Pick<AgentContext, "workers" | "signal">,
  { path, before, text }: LiteralWork["changed"][number],
): AgentTool {
  return {
    name: "edit",
    description: "Writes a changed file.",
    input: z.unknown(),
    title: () => `Edit ${fileName(path)}`,
    async run() {
      const change = await compareTexts({ workers, signal }, { path, before, after: text });
      await jail.writeText(path, text);
      return {
        text: `Edited ${path} (${countsOf(change)}).`,
        title: `Edited ${fileName(path)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}

/** A step that stores one changed field of a project record. */
export function saveRecordTool(
  { records }: Pick<AgentContext, "records">,
  { slug, field, value }: LiteralWork["records"][number],
): AgentTool {
  return {
    name: "set_project_field",
    description: "Sets one field of a project record.",
    input: z.unknown(),
    title: () => `Change ${field} of ${slug}`,
    async run() {
      const change = await records.setField(slug, field, value);
      if (change === null) return { text: "Nothing changes." };
      const title = `Changed ${field} of ${slug} ${countsOf(change)}`;
      return { text: `${title}.`, title, changes: [change] };
    },
  };
}
