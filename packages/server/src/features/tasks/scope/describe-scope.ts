import type { Unattended } from "../../settings/queue-setting.ts";
import type { ScopeKind, StyleAspect, TaskScope } from "../schema.ts";

const kindLabels: Readonly<Record<ScopeKind, string>> = {
  text: "text",
  meta: "title and description",
  alt: "alt texts",
  links: "links inside the site",
  images: "images",
  shared: "text of header and footer",
};

const styleLabels: Readonly<Record<StyleAspect, string>> = {
  accent: "accent color",
  background: "background color",
  text: "text color",
  line: "line color",
  font: "fonts",
  size: "font sizes",
  spacing: "spacing",
  radius: "rounded corners",
};

function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function pageLabel(page: string): string {
  return page === "/" ? "the home page" : page;
}

function whereOf(pages: readonly string[]): string {
  if (pages.includes("*")) return "on every page";
  const paths = pages.filter((page) => page.startsWith("/"));
  if (paths.length > 0) return `on ${listed(paths.map(pageLabel))}`;
  return pages.length > 0 ? "on the page that the instruction names" : "on one page";
}

/** For a task that creates a draft, which no visitor sees. */
const draftScopeSummary = "Saves one new draft without review. Visitors can’t see it.";

/**
 * What may go live without review, as a sentence; `projectStatus` is that of a project created by
 * the task.
 */
export function describeScope(
  { pages, kinds, style, isMinorEdit }: TaskScope,
  unattended: Unattended,
  projectStatus: string | null,
): string {
  if (unattended === "nothing") return "Every change waits for your review, as your settings ask.";
  if (projectStatus === "draft") return draftScopeSummary;
  if (unattended === "all") return "May change without review: anything that passes the checks.";
  const ofPages = kinds.map((kind) =>
    kind === "text" && isMinorEdit ? "a few words of text" : kindLabels[kind],
  );
  const values = listed(style.map((aspect) => styleLabels[aspect]));
  const parts = [
    ...(ofPages.length > 0 ? [`${listed(ofPages)} ${whereOf(pages)}`] : []),
    ...(style.length > 0 ? [`${values} in the theme`] : []),
  ];
  return parts.length === 0
    ? "Nothing may change without review."
    : `May change without review: ${parts.join("; ")}.`;
}
