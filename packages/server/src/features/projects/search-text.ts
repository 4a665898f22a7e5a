import type { ProjectFields } from "./project.ts";
import { foldText } from "./slug.ts";

type SearchedFields = Pick<
  ProjectFields,
  "name" | "slug" | "summary" | "kind" | "role" | "categories" | "stack"
>;

/** What the list is searched in, folded; it begins with the name, so it is in the name's order too. */
export function searchText(project: SearchedFields): string {
  const { name, slug, summary, kind, role, categories, stack } = project;
  return foldText([name, slug, summary, kind, role, ...categories, ...stack].join("\n"));
}

/** The words of a search, all of which have to occur. */
export function searchWords(q: string): string[] {
  return [...new Set(foldText(q).split(/\s+/).filter(Boolean))];
}

/** A category as JSON in which a quote or a comma can only be one between categories. */
export function quotedCategory(category: string): string {
  const escaped = category.replace(
    /[\\",]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}

/** The categories as a JSON list in which a whole one is found by its text. */
export function searchCategories({ categories }: Pick<SearchedFields, "categories">): string {
  return `[${categories.map(quotedCategory).join(",")}]`;
}
