import type { ProjectFields } from "./project.ts";
import { foldText } from "./slug.ts";

type SearchedFields = Pick<
  ProjectFields,
  "name" | "slug" | "summary" | "kind" | "role" | "categories" | "stack"
>;

/**
 * The folded text that the list is searched in; it begins with the name, so it also sorts by name.
 */
export function searchText(project: SearchedFields): string {
  const { name, slug, summary, kind, role, categories, stack } = project;
  return foldText([name, slug, summary, kind, role, ...categories, ...stack].join("\n"));
}

/** The words of a search, all of which have to occur. */
export function searchWords(q: string): string[] {
  return [...new Set(foldText(q).split(/\s+/).filter(Boolean))];
}

/** A category as JSON in which quotes and commas only occur between categories. */
export function quotedCategory(category: string): string {
  const escaped = category.replace(
    /[\\",]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}

/** The categories as a JSON list in which a whole category can be found by its text. */
export function searchCategories({ categories }: Pick<SearchedFields, "categories">): string {
  return `[${categories.map(quotedCategory).join(",")}]`;
}
