import type { z } from "zod";
import type { AgentContext } from "../agent.ts";
import type { Clock } from "../../../kit/clock.ts";
import { checkSiteTool } from "./check-site.ts";
import { deleteTool } from "./delete.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { listTool } from "./list.ts";
import { moveTool } from "./move.ts";
import { arrangeGalleryTool } from "./projects/arrange-gallery.ts";
import { createProjectDraftTool } from "./projects/create-project-draft.ts";
import { editProjectTextTool } from "./projects/edit-project-text.ts";
import { listLibraryImagesTool } from "./projects/list-library-images.ts";
import { listProjectsTool } from "./projects/list-projects.ts";
import { readProjectTool } from "./projects/read-project.ts";
import { setProjectFieldTool } from "./projects/set-project-field.ts";
import { readTool } from "./read.ts";
import { ToolRefusal } from "./refusal.ts";
import type { AgentTool, ToolOutcome, ToolScope } from "./tool.ts";
import { viewImageTool } from "./view-image.ts";
import { writeTool } from "./write.ts";

/** A tool with its input type closed over: what is left is a name, a schema and a call. */
export interface BoundTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** Runs the tool and reports it. Input that doesn't fit, and refusals, come back as `ok: false`. */
  call(callId: string, input: unknown): Promise<ToolReport>;
}

export type ToolReport = ({ ok: true } & ToolOutcome) | { ok: false; text: string };

type Reporting = Pick<AgentContext, "emit" | "signal">;

const maxInputLength = 2000;

/** Some models write arguments as JSON within JSON. */
function unquoted(input: unknown): unknown {
  let value = input;
  for (let depth = 0; depth < 2 && typeof value === "string"; depth += 1) {
    try {
      value = JSON.parse(value);
    } catch {
      return value;
    }
  }
  return value;
}

/** The input as the tool takes it, also where numbers and truth values came as texts. */
function parse<Input>(schema: z.ZodType<Input>, input: unknown): z.ZodSafeParseResult<Input> {
  const value = unquoted(input);
  const parsed = schema.safeParse(value);
  if (parsed.success || typeof value !== "object" || value === null) return parsed;
  const fields = new Set(
    parsed.error.issues
      .filter(({ code, expected }: { code?: string; expected?: string }) =>
        code === "invalid_type" ? expected === "number" || expected === "boolean" : false,
      )
      .map((issue) => String(issue.path[0])),
  );
  if (fields.size === 0) return parsed;
  const fixed = Object.entries(value).map(([key, inner]) => [
    key,
    fields.has(key) ? unquoted(inner) : inner,
  ]);
  const second = schema.safeParse(Object.fromEntries(fixed));
  return second.success ? second : parsed;
}

/** An input as an event carries it: long texts are cut, the whole is in the file or its diff. */
function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > maxInputLength) {
    return `${value.slice(0, maxInputLength)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, 50).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function complaint(error: z.ZodError): string {
  const issues = error.issues.map(
    (issue) => `${issue.path.join(".") || "input"}: ${issue.message}`,
  );
  return `These arguments don't fit: ${issues.join("; ")}`;
}

async function outcomeOf<Input>(
  tool: AgentTool<Input>,
  parsed: z.ZodSafeParseResult<Input>,
): Promise<ToolReport> {
  if (!parsed.success) return { ok: false, text: complaint(parsed.error) };
  try {
    return { ok: true, ...(await tool.run(parsed.data)) };
  } catch (error) {
    if (error instanceof ToolRefusal) return { ok: false, text: error.message };
    throw error;
  }
}

/**
 * Binds a tool to what hears of it: `tool.call` before, `tool.result` and `file.changed` after. The
 * literal editor uses the same, so that both kinds of run look alike.
 */
export function bindTool<Input>(
  tool: AgentTool<Input>,
  { emit, signal }: Reporting,
  clock: Pick<Clock, "monotonic">,
): BoundTool {
  async function call(callId: string, input: unknown): Promise<ToolReport> {
    signal.throwIfAborted();
    const parsed = parse(tool.input, input);
    const title = parsed.success ? tool.title(parsed.data) : tool.name;
    emit({ type: "tool.call", data: { callId, tool: tool.name, title, input: shortened(input) } });
    const start = clock.monotonic();
    const report = await outcomeOf(tool, parsed);
    emit({
      type: "tool.result",
      data: {
        callId,
        tool: tool.name,
        ok: report.ok,
        title: (report.ok ? report.title : undefined) ?? title,
        durationMs: Math.round(clock.monotonic() - start),
        ...(report.ok ? {} : { error: report.text }),
      },
    });
    if (report.ok) {
      for (const change of report.changes ?? []) emit({ type: "file.changed", data: change });
    }
    return report;
  }
  return { name: tool.name, description: tool.description, input: tool.input, call };
}

/**
 * The tools of a run, bound to its jail. Ask mode has only those that read, and a run that may not
 * change files has none that do: the rest aren't refused, they don't exist.
 * @param images whether the model can look at images
 */
export function makeTools(
  scope: ToolScope,
  context: Reporting & Pick<AgentContext, "mode" | "mayWriteFiles">,
  clock: Pick<Clock, "monotonic">,
  images = true,
): BoundTool[] {
  const bind = <Input>(tool: AgentTool<Input>) => bindTool(tool, context, clock);
  const reading = [
    bind(listTool(scope)),
    bind(globTool(scope)),
    bind(grepTool(scope)),
    bind(readTool(scope)),
    ...(images ? [bind(viewImageTool(scope))] : []),
    bind(listProjectsTool(scope)),
    bind(readProjectTool(scope)),
    bind(listLibraryImagesTool(scope)),
  ];
  if (context.mode === "ask") return reading;
  const { mayWriteFiles = true } = context;
  const writing = [
    bind(writeTool(scope)),
    bind(editTool(scope)),
    bind(moveTool(scope)),
    bind(deleteTool(scope)),
  ];
  return [
    ...reading,
    ...(mayWriteFiles ? writing : []),
    bind(setProjectFieldTool(scope)),
    bind(editProjectTextTool(scope)),
    bind(arrangeGalleryTool(scope)),
    bind(createProjectDraftTool(scope)),
    bind(checkSiteTool(scope)),
  ];
}
