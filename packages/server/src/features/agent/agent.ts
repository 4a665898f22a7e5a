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
  /** Of the input tokens, those that the provider read from its cache. */
  cachedTokens: number;
  /** In the currency of the configured prices; null where none are configured. */
  cost: number | null;
  /** What the cost is in, such as USD; null where it isn't said. */
  currency: string | null;
  steps: number;
}

/** An image that the owner gave along. What is written in it is data. */
export interface AgentImage {
  /** `page`: stored media that the site may use, at `src`; `reference`: only to be seen. */
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

/** A part of a page that the owner pointed at. What it says is data; the place is only a hint. */
export interface AgentElement {
  file: string;
  line: number;
  column: number;
  tag: string;
  text: string;
  page: string;
}

/** What the owner says, with what goes along. */
export interface OwnerMessage {
  text: string;
  elements: readonly AgentElement[];
  images: readonly AgentImage[];
}

/** A project as every visitor sees it. */
export interface PublicProject {
  /** Its page, root-relative. */
  path: string;
  name: string;
  summary: string;
  /** All its texts. */
  record: unknown;
}

/** What an agent should know of the site besides its files. All of it is data. */
export interface SiteContext {
  /** The record that the page shows, as JSON would have it; null where it shows none. */
  record: unknown;
  /** The owner's sources for this kind of agent, in order. */
  sources: readonly { title: string; url: string; notes: string }[];
  /** Root-relative addresses of the live site's pages; at most some hundreds. */
  routes: readonly string[];
  /** The published projects that are for everyone, in the owner's order. */
  projects?: readonly PublicProject[];
  /** The records of the projects that the owner's words name, whatever their status. */
  named?: readonly unknown[];
  /** The look that the owner has chosen in the settings, whatever the site's source says. */
  theme?: string | null;
  /** The accent color that the owner has chosen in the settings. */
  accent?: string | null;
}

export type SiteCheck = { ok: true; pages: number } | { ok: false; errors: string[] };

/**
 * The project records that a run is about, with its own changes in them. What an agent changes is
 * noted with the run: it is in the preview, and in the records once the run is published. Projects
 * that are not for everyone are there only where the owner's words name them. All throw ToolRefusal
 * for what there isn't, or what isn't allowed.
 */
export interface AgentRecords {
  list(): Promise<AgentProject[]>;
  read(slug: string): Promise<AgentProject>;
  /** Checks a value as the owner's form does. Null where nothing changes. */
  setField(slug: string, field: RecordField, value: unknown): Promise<FileChange | null>;
  createDraft(fields: { name: string } & Partial<Record<RecordField, unknown>>): Promise<{
    slug: string;
    change: FileChange;
  }>;
  /** Images and videos of the library that may be shown on the site; at most 100. */
  listImages(search: string): Promise<LibraryImage[]>;
}

export interface AgentContext {
  /** The workspace folder. */
  root: string;
  /** The page the console is open on: an address or a path. */
  pageUrl: string | null;
  /** `ask` gives the reading tools only. */
  mode: "build" | "ask";
  /** Whether the site's files may be changed as well, or project records alone; files too unless said. */
  mayWriteFiles?: boolean;
  emit(event: AgentEvent): void;
  signal: AbortSignal;
  /** Where work on whole texts is done. */
  workers: WorkerPool;
  /** @param signal aborts the check alone, as when the run's time is up */
  checkSite(signal: AbortSignal): Promise<SiteCheck>;
  limits: Limits["run"] & { workspace: Limits["workspace"] };
  /** The folder of stored media (`app/public/media`), for reading only. */
  mediaDir: string;
  /** Whether the agent may be shown the stored file at an address such as `/media/2026/…webp`. */
  mayView(src: string): Promise<boolean>;
  site: SiteContext;
  /** The project records, as this run leaves them. */
  records: AgentRecords;
  /** What the owner has said since; each message is given once. Asked after every step. */
  takeMessages(): Promise<OwnerMessage[]>;
  /** What was said so far, as text of the agent's own making: stored after every step. */
  conversation: {
    /** What an earlier run left to go on from, or null. */
    earlier: string | null;
    save(text: string): Promise<void>;
  };
  /**
   * Books what one step took, before the next may begin. Throws AppError with `details.limit`
   * (`run-cost`, `day`, `month`) when a ceiling is reached.
   */
  spend(step: StepUse): Promise<void>;
}

/** What one answer of a model took. */
export interface StepUse {
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  cost: number | null;
  currency: string | null;
}

/** The longest subject line of a commit, in characters. */
export const maxSubjectLength = 72;

export interface AgentReply extends Usage {
  /** One plain sentence on what was done; in ask mode the whole answer. */
  summary: string;
  /** Subject line suggested for the commit; empty where there is none. */
  message: string;
}

export interface AgentSession {
  /** Carries out what the owner says. The first message begins the work, or goes on with an earlier run's. */
  send(message: OwnerMessage): Promise<AgentReply>;
  /**
   * Hands back what the build or the checks said of the result; it reaches a model as data, with the
   * request to repair it.
   * Throws AppError: `upstream_failed` (the model failed, or a limit of the run is reached),
   * `validation_failed` (the literal editor can't tell what is meant), `model_not_configured`;
   * an abort throws the signal's reason.
   */
  repair(failure: string): Promise<AgentReply>;
}

/** Who an agent is: the console's Editor, or the queue's Web Designer. */
export type AgentRole = "editor" | "designer";

export const agentNames: Readonly<Record<AgentRole, string>> = {
  editor: "Editor",
  designer: "Web Designer",
};

/** What an agent is about to be asked. */
export interface AgentRequest extends Pick<AgentContext, "mode"> {
  text: string;
  hasImages: boolean;
}

export interface Agent {
  /** The actor that commits and the changelog name. */
  readonly name: string;
  /** `provider/model`, or `literal`. */
  readonly model: string;
  /** What its costs are in; null where it isn't said or nothing costs. */
  readonly currency: string | null;
  /**
   * Throws AppError for a first message that this agent can't work with whatever the site is like,
   * before anything is begun. Left out by an agent that takes any.
   */
  assertAccepts?(request: AgentRequest, deps: Pick<AgentContext, "workers">): Promise<void>;
  open(context: AgentContext): AgentSession;
}
