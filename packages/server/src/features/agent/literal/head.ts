import { type AstroSource, type Attribute, readAstro } from "./astro-source.ts";
import type { Command } from "./grammar.ts";
import { pageFile } from "./scope.ts";
import type { SiteSource } from "./site-source.ts";
import { literalError } from "./literal-error.ts";
import { slugsOnPage, type Sources } from "./nearest.ts";
import type { RecordSource } from "./record-source.ts";
import { placeOfAttribute, propertyOfProps, setValue, type ValuePlace } from "./value.ts";

/** `<title>` or `<meta name="description">` in the page itself. */
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

/** The attribute that passes a title or a description to the layout. */
function headAttribute(source: AstroSource, field: string): Attribute | undefined {
  // The layout is the outermost component, so it is the first one with the property.
  const layout = source.tags
    .toSorted((a, b) => a.start - b.start)
    .find((tag) => /^[A-Z]/.test(tag.name) && tag.attributes.some((a) => a.name === field));
  return layout?.attributes.find((a) => a.name === field);
}

function placeInAstro(site: SiteSource, file: string, field: string): ValuePlace | null {
  const source = readAstro(site.text(file));
  const attribute = headAttribute(source, field);
  if (attribute !== undefined) return placeOfAttribute(site, file, attribute);
  return ownHead(source, file, field);
}

type HeadCommand = Extract<Command, { kind: "head" }>;

/** Record fields that a page's head can be made from. */
const headFields = ["name", "summary", "lede", "kind", "role"] as const;

/** Sets the field of a project's record that its page's head shows; false if there is none. */
function setInRecord(
  { site, projects }: Sources,
  {
    file,
    path,
    field,
    value,
  }: { file: string; path: string } & Pick<HeadCommand, "field" | "value">,
): boolean {
  const [slug] = slugsOnPage(path, projects);
  const attribute = headAttribute(readAstro(site.text(file)), field);
  if (slug === undefined || attribute === undefined) return false;
  const property = propertyOfProps(site, file, attribute);
  const shown = headFields.find((one) => one === property);
  if (shown === undefined) return false;
  if (value === "") throw literalError(`The new ${field} is empty.`);
  projects.set(slug, shown, value);
  return true;
}

/** The path of the only project with this name. */
function pathOfNamed(projects: RecordSource, { project, field }: HeadCommand): string {
  const slugs = projects.findNamed(project ?? "");
  const paths = slugs.map((slug) => `/projects/${slug}`);
  if (paths.length === 1) return paths[0] ?? "";
  throw literalError(
    paths.length === 0
      ? `No project you can change here is called “${project}”. Give its exact name, or say which page: set the ${field} of /about to "…".`
      : `${paths.length} projects are called “${project}”. Say which page: ${paths.join(" or ")}.`,
  );
}

function pathOf(projects: RecordSource, command: HeadCommand, here: string | null): string {
  const { scope, field, project } = command;
  if (project !== null) return pathOfNamed(projects, command);
  const path = scope.kind === "page" ? scope.path : here;
  if (path !== null && scope.kind !== "everywhere") return path;
  throw literalError(`Say which page: set the ${field} of /about to "…".`);
}

/**
 * Executes `set the title|description of /path to "X"` in memory: in the page's source, or in the
 * record of a project's page.
 * @param here path of the page that is open in the console
 */
export function setHead(sources: Sources, command: HeadCommand, here: string | null): string {
  const { site, projects } = sources;
  const { field } = command;
  const path = pathOf(projects, command, here);
  const value = command.value.trim();
  const file = pageFile(site, path);
  const done = `Set the ${field} of ${path} to “${value}”.`;
  if (/\.mdx?$/.test(file)) {
    setFrontmatter(site, file, field, value);
    return done;
  }
  const place = placeInAstro(site, file, field);
  if (place !== null) setValue(site, place, value);
  else if (!setInRecord(sources, { file, path, field, value })) {
    throw literalError(
      file.includes("[")
        ? `The ${field} of ${path} comes from a record. Projects are edited on the projects page (/admin/projects).`
        : `The ${field} of ${path} is generated by code (${file}), so a literal edit can't set it.`,
    );
  }
  return done;
}
