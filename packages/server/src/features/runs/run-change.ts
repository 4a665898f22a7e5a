import { cleanText } from "../../kit/text.ts";
import { maxSubjectLength } from "../agent/agent.ts";
import type { SnapshotChange } from "../release/snapshot.ts";
import type { FileDiff } from "./schema.ts";

/** The changelog entry of a run, as built into the site and recorded by the publish. */
export interface RunChange extends Pick<
  SnapshotChange,
  "kind" | "title" | "detail" | "at" | "actor"
> {
  /** Recorded, but neither built into the site nor shown to visitors. */
  isHidden?: boolean;
}

/**
 * A change of up to this many lines, added and removed, is a small edit, which isn't news for
 * visitors.
 */
const maxSmallEditLines = 10;

/** Whether a change only corrects a few existing lines. */
function isSmallEdit(files: readonly FileDiff[]): boolean {
  const lines = files.reduce((sum, { added, removed }) => sum + added + removed, 0);
  const onlyModifies = files.every(
    ({ status, binary }) => status === "modified" && binary !== true,
  );
  return onlyModifies && lines <= maxSmallEditLines;
}

const maxDetailCharacters = 2000;

const verbs: Record<FileDiff["status"], string> = {
  added: "Add",
  modified: "Update",
  deleted: "Remove",
  renamed: "Rename",
};

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "");
  const space = head.lastIndexOf(" ");
  return `${(space > length / 2 ? head.slice(0, space) : head).trimEnd()}…`;
}

function describePath(path: string): string {
  const page = /^app\/src\/pages\/(.+?)(?:\/index)?\.(?:astro|md|mdx|html)$/.exec(path)?.[1];
  if (page !== undefined) return page === "index" ? "the home page" : `the ${page} page`;
  const [, project, field] = /^projects\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (project !== undefined) return field ? `the ${field} of ${project}` : `the draft ${project}`;
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The subject line of a run's commit, at most 72 characters: the agent's suggestion, otherwise
 * derived from the diff, such as "Update the about page and 2 more files".
 */
export function commitSubject(suggestion: string, files: readonly FileDiff[]): string {
  const line = cleanText(suggestion.split("\n", 1)[0] ?? "").replace(/\.+$/, "");
  if (line !== "") return cut(line, maxSubjectLength);
  const [first, ...others] = files;
  if (!first) return "Update the site";
  const verb = files.every((file) => file.status === first.status) ? verbs[first.status] : "Update";
  const plain = files.some(({ path }) => path.startsWith("projects/")) ? "change" : "file";
  const rest =
    others.length === 0
      ? ""
      : ` and ${others.length} more ${others.length === 1 ? plain : `${plain}s`}`;
  return cut(`${verb} ${describePath(first.path)}${rest}`, maxSubjectLength);
}

/** Paths with texts rather than design. */
const contentPaths = /^(?:app\/src\/(?:pages|content)\/|database\/|projects\/)|\.(?:md|mdx|json)$/;

/**
 * The changelog entry of a run: `content` if only pages and texts changed, otherwise `design`. A
 * small edit is hidden unless somebody asks for it to be mentioned. `at` is ISO 8601 UTC.
 */
export function makeRunChange(options: {
  files: readonly FileDiff[];
  message: string;
  summary: string;
  at: string;
  actor: string;
}): RunChange {
  const { files, message, summary, at, actor } = options;
  const content = files.every((file) => contentPaths.test(file.path));
  const detail = cut(cleanText(summary, { multiline: true }), maxDetailCharacters);
  const kind = content ? "content" : "design";
  return { kind, title: message, detail, at, actor, isHidden: isSmallEdit(files) };
}
