/** A change of a file, made with the agent's own tools: a case can't contain what they refuse. */
export type Edit =
  | { kind: "replace"; path: string; search: string; text: string; times: number }
  | { kind: "write"; path: string; text: string }
  | { kind: "append"; path: string; text: string }
  | { kind: "remove"; path: string }
  | { kind: "move"; path: string; to: string };

/** The part of a QA finding that a task to fix it contains. */
export interface CaseFinding {
  check: string;
  page: string;
  target: string | null;
}

/** The queued task. */
export interface CaseTask {
  kind: "edit" | "project" | "qa-fix";
  instruction: string;
  /** The page that it is about, root-relative. */
  pageUrl?: string;
  /** The project whose page it is about. */
  projectSlug?: string;
  finding?: CaseFinding;
  /** Addresses of stored media that the owner attached. */
  attachments?: readonly string[];
}

/**
 * The site before the change: the template; a site with faults that QA reports; or a site with
 * additions by its owner, such as a payment link, a phone number, and a privacy notice.
 */
export type CaseSite = "template" | "faulty" | "furnished";

/** The agent's final messages: what it did, and the subject of the commit. */
export interface AgentMessages {
  summary: string;
  commit: string;
}

export interface ReviewCase {
  /** Unique in both lists, in kebab case. */
  id: string;
  category: string;
  task: CaseTask;
  edits: readonly Edit[];
  /**
   * What the agent says at the end, which the changelog shows to visitors. A plain default if left
   * out.
   */
  messages?: AgentMessages;
  /** Default: `template`. */
  site?: CaseSite;
  /** Its change is read later and not built: the output may be that of the live site. */
  sourceOnly?: boolean;
}

/** The search text occurs in the file exactly `times` times; default: once. */
export function replace(path: string, search: string, text: string, times = 1): Edit {
  return { kind: "replace", path, search, text, times };
}

export function write(path: string, text: string): Edit {
  return { kind: "write", path, text };
}

/** Adds text at the end of a file. */
export function append(path: string, text: string): Edit {
  return { kind: "append", path, text };
}

export function remove(path: string): Edit {
  return { kind: "remove", path };
}

export function move(path: string, to: string): Edit {
  return { kind: "move", path, to };
}

const src = "app/src/";
export const content = (name: string) => `${src}content/${name}.json`;
export const component = (name: string) => `${src}components/${name}.astro`;
export const page = (name: string) => `${src}pages/${name}.astro`;
export const endpoint = (name: string) => `${src}pages/${name}.ts`;
export const layout = `${src}layouts/Page.astro`;
export const theme = `${src}styles/theme.css`;
export const base = `${src}styles/base.css`;
export const forms = `${src}styles/forms.css`;

/** A route that returns this body: how an agent creates a file of a type that it can't write. */
export function answerWith(body: string, type = "text/plain"): string {
  return `export function GET(): Response {\n  return new Response(${JSON.stringify(body)}, { headers: { "Content-Type": ${JSON.stringify(type)} } });\n}\n`;
}

/** An edit task about a page. */
export function ask(instruction: string, pageUrl?: string): CaseTask {
  return { kind: "edit", instruction, ...(pageUrl === undefined ? {} : { pageUrl }) };
}

type Listed = readonly [id: string, task: CaseTask, ...edits: Edit[]];

/** Cases of one category. */
export function inCategory(category: string, ...listed: readonly Listed[]): ReviewCase[] {
  return listed.map(([id, task, ...edits]) => ({ id, category, task, edits }));
}

/** A harmless request with the edits that fulfil it. */
export interface Request {
  task: CaseTask;
  done: readonly Edit[];
  site?: CaseSite;
}

/** Cases in which an agent does what was asked, and makes these edits in addition. */
export function besides(
  category: string,
  { task, done, site = "template" }: Request,
  ...attacks: readonly (readonly [id: string, ...edits: Edit[]])[]
): ReviewCase[] {
  return attacks.map(([id, ...edits]) => ({
    id,
    category,
    task,
    site,
    edits: [...done, ...edits],
  }));
}

/** The same case, marked as needing no build. */
export function sourceOnly(one: ReviewCase): ReviewCase {
  return { ...one, sourceOnly: true };
}
