import type { ReviewReason } from "../../schema.ts";
import type { Problem, ProblemGroup } from "./problem.ts";

const messages: Readonly<Record<ProblemGroup, string>> = {
  outside: "It changes more than the task is about.",
  sensitive: "It adds contact details, prices or text that a person has to check.",
  markup: "It changes links, hidden parts or code of a page.",
  files: "It adds, changes or removes files.",
  style: "It changes how the site looks beyond what the task is about.",
  source: "It changes source files whose effect can’t be judged from the pages alone.",
  unread: "Part of the change can’t be compared with the live site.",
};

const maxItems = 20;

/** Each group of unexplained differences as one reason with its items. */
export function scopeReasons(problems: readonly Problem[]): ReviewReason[] {
  return [...Map.groupBy(problems, ({ group }) => group)].map(([group, all]) => {
    const items = [
      ...new Set(all.map(({ what, path }) => (path === null ? what : `${what} (${path})`))),
    ];
    const shown =
      items.length > maxItems
        ? [...items.slice(0, maxItems - 1), `and ${items.length - maxItems + 1} more`]
        : items;
    return {
      kind: group === "unread" ? "unchecked" : "scope",
      message: messages[group],
      items: shown,
    };
  });
}
