import type { Limits } from "../../platform/config.ts";
import type { WorkerPool } from "../../platform/worker-pool.ts";
import type { AgentProject, LibraryImage, RecordField } from "./records.ts";

/*
 * Words used here:
 * agent    something that carries out an instruction in a workspace: a model in a loop, or the literal editor
 * session  one agent at work on one run; it keeps the conversation between messages
 * jail     the only way to the workspace's files (tools/jail.ts)
 * step     one answer of the model, with the tool calls it asked for
 */

/**
 * Events that an agent reports while it works. Their texts are data and must be escaped when shown.
 */
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
  /** Unified diff, truncated at 64 KiB. */
  patch: string;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Input tokens that the provider read from its cache. */
  cachedTokens: number;
  /** In the currency of the configured prices; null if none are configured. */
  cost: number | null;
  /** The currency of the cost, such as USD; null if unknown. */
  currency: string | null;
  steps: number;
}

/** An image attached by the owner. Its content is data. */
export interface AgentImage {
  /** `page`: stored media that the site may use, at `src`; `reference`: only for viewing. */
  use: "page" | "reference";
  /** Its address on the site, such as `/media/2026/…webp`; null for a reference. */
  src: string | null;
  name: string;
  alt: string;
  width: number;
  height: number;
  mediaType: string;
  /** At most 4 MiB. */
  bytes(): Promise<Uint8Array>;
}

/** A part of a page that the owner selected. Its text is data, and its location only a hint. */
export interface AgentElement {
  file: string;
  line: number;
  column: number;
  tag: string;
  text: string;
  page: string;
}

/** A message from the owner with its attachments. */
export interface OwnerMessage {
  text: string;
  elements: readonly AgentElement[];
  images: readonly AgentImage[];
}

/** A project as every visitor can see it. */
export interface PublicProject {
  /** Its page's path, root-relative. */
  path: string;
  name: string;
  summary: string;
  /** All its texts. */
  record: unknown;
}

/** What an agent should know about the site besides its files. All of it is data. */
export interface SiteContext {
  /** The record that the page shows, as JSON; null if it shows none. */
  record: unknown;
  /** The owner's sources for this kind of agent, in order. */
  sources: readonly { title: string; url: string; notes: string }[];
  /** Root-relative addresses of the live pages; at most a few hundred. */
  routes: readonly string[];
  /** The published projects that everyone can see, in the owner's order. */
  projects?: readonly PublicProject[];
  /** Records of the projects that the owner's message names, whatever their status. */
  named?: readonly unknown[];
  /** The theme chosen in the settings, which overrides the site's source. */
  theme?: string | null;
  /** The accent color chosen in the settings. */
  accent?: string | null;
}

export type SiteCheck = { ok: true; pages: number } | { ok: false; errors: string[] };

/**
 * The project records that a run is about, including its own changes. Changes by the agent are
 * stored with the run: the preview shows them, and publishing the run writes them to the records.
 * Restricted projects are included only if the owner's message names them. All functions throw
 * ToolRefusal for what doesn't exist or isn't allowed.
 */
export interface AgentRecords {
  list(): Promise<AgentProject[]>;
  read(slug: string): Promise<AgentProject>;
  /** Validates a value as the owner's form does. Null if nothing changes. */
  setField(slug: string, field: RecordField, value: unknown): Promise<FileChange | null>;
  createDraft(fields: { name: string } & Partial<Record<RecordField, unknown>>): Promise<{
    slug: string;
    change: FileChange;
  }>;
  /** Images and videos of the library that the site may show; at most 100. */
  listImages(search: string): Promise<LibraryImage[]>;
}

export interface AgentContext {
  /** The workspace folder. */
  root: string;
  /** The page that is open in the console: an address or a path. */
  pageUrl: string | null;
  /** `ask` has only the reading tools. */
  mode: "build" | "ask";
  /** Whether the agent may change the site's files or only project records; defaults to true. */
  mayWriteFiles?: boolean;
  emit(event: AgentEvent): void;
  signal: AbortSignal;
  /** Workers for processing whole texts. */
  workers: WorkerPool;
  /** @param signal aborts only the check, for example when the run's time is up */
  checkSite(signal: AbortSignal): Promise<SiteCheck>;
  limits: Limits["run"] & { workspace: Limits["workspace"] };
  /** The folder of stored media (`app/public/media`), read-only. */
  mediaDir: string;
  /** Whether the agent may view the stored file at an address such as `/media/2026/…webp`. */
  mayView(src: string): Promise<boolean>;
  site: SiteContext;
  /** The project records with this run's changes. */
  records: AgentRecords;
  /** New messages from the owner; each is returned once. Called after every step. */
  takeMessages(): Promise<OwnerMessage[]>;
  /** The conversation as text in the agent's own format, stored after every step. */
  conversation: {
    /** The conversation of an earlier run to continue, or null. */
    earlier: string | null;
    save(text: string): Promise<void>;
  };
  /**
   * Records what one step used, before the next step may start. Throws AppError with
   * `details.limit` (`run-cost`, `day`, `month`) if a limit is reached.
   */
  spend(step: StepUse): Promise<void>;
}

/** What one response of a model used. */
export interface StepUse {
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  cost: number | null;
  currency: string | null;
}

/** Maximum length of a commit's subject line, in characters. */
export const maxSubjectLength = 72;

export interface AgentReply extends Usage {
  /** One plain sentence about what was done; in ask mode, the whole answer. */
  summary: string;
  /** Suggested subject line of the commit; may be empty. */
  message: string;
}

export interface AgentSession {
  /** Executes an instruction. The first message starts the work or continues an earlier run. */
  send(message: OwnerMessage): Promise<AgentReply>;
  /**
   * Passes a build or check failure to the agent, as data, and asks it to fix the cause. Throws
   * AppError: `upstream_failed` (the model failed, or the run reached a limit), `validation_failed`
   * (the literal editor can't interpret the instruction), `model_not_configured`; an abort throws
   * the signal's reason.
   */
  repair(failure: string): Promise<AgentReply>;
}

/** The kind of agent: the console's Editor, or the queue's Web Designer. */
export type AgentRole = "editor" | "designer";

export const agentNames: Readonly<Record<AgentRole, string>> = {
  editor: "Editor",
  designer: "Web Designer",
};

/** The request that an agent is selected for. */
export interface AgentRequest extends Pick<AgentContext, "mode"> {
  text: string;
  hasImages: boolean;
}

export interface Agent {
  /** The name shown as the author of the commit and in the changelog. */
  readonly name: string;
  /** `provider/model`, or `literal`. */
  readonly model: string;
  /** The currency of its costs; null if unknown or if it costs nothing. */
  readonly currency: string | null;
  /**
   * Throws AppError for a first message that this agent can't handle on any site, before anything
   * starts. Agents that accept every message don't have it.
   */
  assertAccepts?(request: AgentRequest, deps: Pick<AgentContext, "workers">): Promise<void>;
  open(context: AgentContext): AgentSession;
}
