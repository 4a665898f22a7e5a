import { converter, parse, wcagContrast } from "culori";
import type {
  AgentElement,
  AgentImage,
  AgentReply,
} from "../../packages/server/src/features/agent/agent.ts";
import type { ToolCall } from "../../test/support/model-server/answer.ts";

/** The site after a run, for a checker. */
export interface Edited {
  /** The text of a file, or "" if there is none. */
  read(path: string): string;
  /** Paths that were added, changed, or removed, sorted. */
  changed: readonly string[];
  reply: AgentReply;
}

/**
 * One editing task: the owner's request, a good editor's solution, and how to verify the result.
 */
export interface Task {
  readonly id: string;
  readonly mode: "build" | "ask";
  readonly page: string;
  readonly instruction: string;
  readonly elements?: readonly AgentElement[];
  readonly images?: readonly AgentImage[];
  /** The tool calls that solve it; the scripted models make them. */
  readonly solution: readonly ToolCall[];
  /** What the scripted models say at the end, if the task asks for an answer. */
  readonly answer?: string;
  /** The only files that may change; any other change is a fault. */
  readonly may: readonly string[];
  /** The faults of the result; empty if the task is solved. */
  check(site: Edited): (string | false)[];
}

const src = "app/src/";

export const content = (name: string) => `${src}content/${name}.json`;
export const component = (name: string) => `${src}components/${name}.astro`;
export const pageFile = (name: string) => `${src}pages/${name}.astro`;
export const theme = `${src}styles/theme.css`;

/** An exact replacement, as a call. */
export function swap(path: string, search: string, replace: string): ToolCall {
  return { name: "edit", input: { path, search, replace } };
}

export function write(path: string, words: string): ToolCall {
  return { name: "write", input: { path, content: words } };
}

/** A fault unless `true`. */
export function failUnless(holds: boolean, fault: string): string | false {
  return holds ? false : fault;
}

/**
 * The value in a JSON file of the site at keys such as `nav.0.label`; undefined if there is none.
 */
export function valueAt(site: Edited, path: string, keys: string): unknown {
  try {
    let value: unknown = JSON.parse(site.read(path));
    for (const key of keys.split(".").filter(Boolean)) {
      value = (value as Record<string, unknown> | null | undefined)?.[key];
    }
    return value;
  } catch {
    return undefined;
  }
}

/** The same as a string, "" for anything else. */
export function text(site: Edited, path: string, keys: string): string {
  const value = valueAt(site, path, keys);
  return typeof value === "string" ? value : "";
}

/** The same as a list, empty for anything else. */
export function list(site: Edited, path: string, keys: string): unknown[] {
  const value = valueAt(site, path, keys);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The value of a design token in the light and in the dark theme. */
export function token(site: Edited, name: string): { light: string; dark: string } {
  const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(site.read(theme))?.[1]?.trim() ?? "";
  const pair = /^light-dark\(\s*(.+?)\s*,\s*([^,]+?)\s*\)$/.exec(value);
  return pair === null
    ? { light: value, dark: value }
    : { light: pair[1] ?? "", dark: pair[2] ?? "" };
}

/** WCAG contrast of two tokens in the worse of the two themes; 0 if one of them isn't a color. */
export function contrast(site: Edited, front: string, back: string): number {
  const [a, b] = [token(site, front), token(site, back)];
  const pairs = [
    [a.light, b.light],
    [a.dark, b.dark],
  ];
  return Math.min(
    ...pairs.map(([one = "", two = ""]) =>
      parse(one) === undefined || parse(two) === undefined ? 0 : wcagContrast(one, two),
    ),
  );
}

const oklch = converter("oklch");

/** The hue of a color in degrees (OKLCH); -1 for a gray or an invalid color. */
export function hue(color: string): number {
  const parsed = parse(color);
  return parsed === undefined ? -1 : (oklch(parsed).h ?? -1);
}
