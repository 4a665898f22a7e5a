import type { Limits } from "../../platform/config.ts";

/*
 * Words used here:
 * agent    something that carries out an instruction in a workspace: a model in a loop, or the literal editor
 * session  one agent at work on one run; it keeps the conversation between messages
 * jail     the only way to the workspace's files (tools/jail.ts)
 * step     one answer of the model, with the tool calls it asked for
 */

/** What an agent reports while it works. Texts are data: whoever shows them escapes them. */
export type AgentEvent =
  | { type: "model.text"; data: { text: string } }
  | {
      type: "tool.call";
      data: { callId: string; tool: string; title: string; input: unknown };
    }
  | {
      type: "tool.result";
      data: {
        callId: string;
        tool: string;
        ok: boolean;
        title: string;
        durationMs: number;
        error?: string;
      };
    }
  | { type: "file.changed"; data: FileChange }
  | { type: "usage"; data: Usage };

export interface FileChange {
  /** Relative to the workspace, with forward slashes. */
  path: string;
  added: number;
  removed: number;
  /** Unified diff; cut at 64 KiB. */
  patch: string;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the configured prices; null where none are configured. */
  cost: number | null;
  steps: number;
}

export type SiteCheck = { ok: true; pages: number } | { ok: false; errors: string[] };

export interface AgentContext {
  /** The workspace folder. */
  root: string;
  /** The page the console is open on: an address or a path. */
  pageUrl: string | null;
  /** `ask` gives the reading tools only. */
  mode: "build" | "ask";
  emit(event: AgentEvent): void;
  signal: AbortSignal;
  checkSite(): Promise<SiteCheck>;
  limits: Limits["run"] & { workspace: Limits["workspace"] };
}

/** The longest subject line of a commit, in characters. */
export const longestSubject = 72;

export interface AgentReply extends Usage {
  /** One plain sentence on what was done; in ask mode the whole answer. */
  summary: string;
  /** Subject line suggested for the commit; empty where there is none. */
  message: string;
}

export interface AgentSession {
  /**
   * Carries out an instruction. The second and later messages hand back what the build said of the
   * result; they reach a model as data, with the request to repair it.
   * Throws AppError: `upstream_failed` (the model failed, or a limit of the run is reached),
   * `validation_failed` (the literal editor can't tell what is meant), `model_not_configured`;
   * an abort throws the signal's reason.
   */
  send(message: string): Promise<AgentReply>;
}

export interface Agent {
  /** The actor that commits and the changelog name. */
  readonly name: string;
  /** `provider/model`, or `literal`. */
  readonly model: string;
  open(context: AgentContext): AgentSession;
}
