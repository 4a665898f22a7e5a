import { type AstroSource, readAstro } from "./astro-source.ts";
import type { Command } from "./grammar.ts";
import { pageFile } from "./scope.ts";
import type { SiteSource } from "./site-source.ts";
import { literalError } from "./literal-error.ts";
import { placeOfAttribute, setValue, type ValuePlace } from "./value.ts";

/** `<title>` or `<meta name="description">` written in the page itself. */
function ownHead(source: AstroSource, file: string, field: string): ValuePlace | null {
  if (field === "title") {
    const text = source.segments.find((s) => s.kind === "text" && s.tag === "title");
    return text === undefined ? null : { file, segment: text };
  }
  return null;
}

function setFrontmatter(site: SiteSource, file: string, field: string, value: string): void {
  const source = site.text(file);
  const line = `${field}: ${JSON.stringify(value)}`;
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(source);
  if (front === null) {
    site.set(file, `---\n${line}\n---\n\n${source}`);
    return;
  }
  const present = new RegExp(`^${field}:.*$`, "m");
  const next = present.test(front[1] ?? "")
    ? front[0].replace(present, () => line)
    : front[0].replace(/^---\r?\n/, (opening) => `${opening}${line}\n`);
  site.set(file, next + source.slice(front[0].length));
}

function placeInAstro(site: SiteSource, file: string, field: string): ValuePlace | null {
  const source = readAstro(site.text(file));
  // The layout is the outermost component, so the first that is given the property.
  const layout = source.tags
    .toSorted((a, b) => a.start - b.start)
    .find((tag) => /^[A-Z]/.test(tag.name) && tag.attributes.some((a) => a.name === field));
  const attribute = layout?.attributes.find((a) => a.name === field);
  if (attribute !== undefined) return placeOfAttribute(site, file, attribute);
  return ownHead(source, file, field);
}

/**
 * Carries out `set the title|description of /path to "X"` in memory.
 * @param here path of the page the console is open on
 */
export function setHead(
  site: SiteSource,
  command: Extract<Command, { kind: "head" }>,
  here: string | null,
): string {
  const { field, scope } = command;
  const path = scope.kind === "page" ? scope.path : here;
  if (path === null || scope.kind === "everywhere") {
    throw literalError(`Say which page: set the ${field} of /about to "…".`);
  }
  const value = command.value.trim();
  const file = pageFile(site, path);
  if (/\.mdx?$/.test(file)) setFrontmatter(site, file, field, value);
  else {
    const place = placeInAstro(site, file, field);
    if (place === null) {
      throw literalError(
        file.includes("[")
          ? `The ${field} of ${path} comes from a record. Projects are edited on the projects page (/admin/projects).`
          : `The ${field} of ${path} is put together by code (${file}); a literal edit can't set it.`,
      );
    }
    setValue(site, place, value);
  }
  return `Set the ${field} of ${path} to “${value}”.`;
}
