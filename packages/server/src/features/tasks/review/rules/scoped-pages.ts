import type { TaskScope } from "../../schema.ts";
import { findElement, type SiteView } from "./site-view.ts";
import { textOf, TooLarge } from "./tree.ts";

function slug(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

/** Pages whose main part belongs to the program: no task changes them unattended. */
const programPages = /^\/(?:admin|api|account|devconsole|_preview)(?:\/|$)/;

/** The names of a page: the end of its address, and its title without the site's name. */
function namesOf(path: string, live: SiteView): string[] {
  const last =
    path
      .replace(/\.html$/, "")
      .split("/")
      .findLast(Boolean) ?? "home";
  try {
    const title = findElement(live.page(path), "title");
    const text = title ? (textOf(title).split(/\s[·|–—-]\s/)[0] ?? "") : "";
    return [slug(last), slug(text), ...(/404/.test(last) ? ["not-found"] : [])];
  } catch (error) {
    if (error instanceof TooLarge) return [slug(last)];
    throw error;
  }
}

/** The pages of the live site that a task's scope names. */
export function scopedPages({ pages }: TaskScope, live: SiteView): Set<string> {
  const all = Object.keys(live.manifest.files).filter(
    (path) => live.isPage(path) && !programPages.test(path),
  );
  if (pages.includes("*")) return new Set(all);
  const found = new Set<string>();
  const names = new Set<string>();
  for (const page of pages) {
    if (page.startsWith("/")) {
      const path = all.find(
        (one) => one === page || one === `${page}/` || one === `${page.replace(/\/$/, "")}.html`,
      );
      if (path !== undefined) found.add(path);
    } else names.add(slug(page));
  }
  if (names.size > 0) {
    for (const path of all.slice(0, 400))
      if (namesOf(path, live).some((name) => name !== "" && names.has(name))) found.add(path);
  }
  return found;
}
