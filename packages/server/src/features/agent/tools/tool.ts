import type { z } from "zod";
import type { WorkerPool } from "../../../platform/worker-pool.ts";
import type { AgentRecords, FileChange, SiteCheck } from "../agent.ts";
import type { Jail } from "./jail.ts";
import type { ReadTracker } from "./read-tracker.ts";

/** What a tool works with; there is nothing else it could reach. */
export interface ToolScope {
  jail: Jail;
  reads: ReadTracker;
  /** Where whole texts are compared and searched. */
  workers: WorkerPool;
  /** The site's stored media, for looking at only. */
  mediaDir: string;
  /** Whether the run is about what shows a stored file, or everyone sees it. */
  mayView(src: string): Promise<boolean>;
  /** The project records, as the run leaves them. */
  records: AgentRecords;
  /** That of the message at work: to be asked for when it is needed. */
  readonly signal: AbortSignal;
  checkSite(): Promise<SiteCheck>;
}

export interface ToolOutcome {
  /** What the model is told. */
  text: string;
  /** What people are told, when the result says more than the call's title did. */
  title?: string;
  changes?: FileChange[];
  /** An image for the model to look at. */
  image?: { path: string; mediaType: string; bytes: Uint8Array };
}

export interface AgentTool<Input = unknown> {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** A plain verb and its object, for people: "Read about.astro". */
  title(input: Input): string;
  /** Throws ToolRefusal for what it won't do. */
  run(input: Input): Promise<ToolOutcome>;
}

/** The last name of a path, for titles. */
export function fileName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "the site";
}
