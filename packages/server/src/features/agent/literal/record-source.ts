import type { AgentProject, RecordField } from "../records.ts";
import { recordFields } from "../records.ts";
import { fold, isWhole } from "./find.ts";
import { literalError } from "./literal-error.ts";
import { altEdits, linkEdits, type MarkdownMatch } from "./markdown-edit.ts";

/** A place where a text occurs in a project record. */
export interface RecordPlace {
  slug: string;
  field: RecordField;
  /** The path to the string inside the field's value. */
  keys: readonly (string | number)[];
  start: number;
  end: number;
  /** Its location, for display. */
  file: string;
  line: number;
  excerpt: string;
  /** What is written here, if it differs from the text. */
  written?: string;
}

/** The project records in memory, with the edits so far. */
export interface RecordSource {
  readonly slugs: readonly string[];
  /** Projects that originally had this name, as people type it. */
  findNamed(name: string): string[];
  /** Where a text occurs in these projects as whole words. */
  find(slugs: readonly string[], wanted: string): RecordPlace[];
  /** All texts in these projects that people read. */
  texts(slugs: readonly string[]): (RecordPlace & { text: string })[];
  /** The gallery images of these projects, by address. */
  images(slugs: readonly string[], src: string): RecordImage[];
  /** Links to an address in their texts. Throws if one can't be changed to `value`. */
  findLinks(slugs: readonly string[], address: string, value: string): RecordPlace[];
  /** The alt texts of the named images. Throws if one can't be changed to `value`. */
  findAlts(slugs: readonly string[], isNamed: IsNamed, value: string): RecordPlace[];
  replace(places: readonly RecordPlace[], text: string): void;
  /** Replaces an image in a gallery. */
  setImage(slug: string, index: number, image: { src: string; alt: string }): void;
  /** Sets a whole field. */
  set(slug: string, field: RecordField, text: string): void;
  /** The fields that differ from their original values. */
  changed(): { slug: string; field: RecordField; value: unknown }[];
}

/** An image in a gallery, by its index. */
export interface RecordImage {
  slug: string;
  index: number;
  alt: string;
}

/** Whether an image is the one that is meant, by its address and alt text. */
export type IsNamed = (src: string, alt: string | null) => boolean;

/** Values that are addresses, not texts. */
const addresses = new Set<string | number>(["src", "reelUrl"]);

function stringsIn(
  value: unknown,
  keys: readonly (string | number)[],
): { keys: readonly (string | number)[]; text: string }[] {
  if (addresses.has(keys.at(-1) ?? "")) return [];
  if (typeof value === "string") return [{ keys, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    stringsIn(inner, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
}

function wholeTexts(slug: string, field: RecordField, value: unknown) {
  const file = `projects/${slug}/${field}`;
  return stringsIn(value, [field]).map(({ keys, text }) => ({
    slug,
    field,
    keys: keys.slice(1),
    start: 0,
    end: text.length,
    file,
    line: 1,
    excerpt: text.slice(0, 60),
    text,
  }));
}

function placesIn(slug: string, field: RecordField, value: unknown, search: string): RecordPlace[] {
  return stringsIn(value, [field]).flatMap(({ keys, text }) => {
    const places: RecordPlace[] = [];
    const folded = fold(text);
    for (let at = folded.indexOf(search); at >= 0; at = folded.indexOf(search, at + 1)) {
      if (!isWhole(text, at, search.length)) continue;
      const end = at + search.length;
      const line = text.slice(0, at).split("\n").length;
      const excerpt = text.slice(Math.max(0, at - 30), end + 30).trim();
      const file = `projects/${slug}/${field}`;
      places.push({ slug, field, keys: keys.slice(1), start: at, end, file, line, excerpt });
      at = end - 1;
    }
    return places;
  });
}

/** Where a project's text can be edited, with locations for display. */
function placesInBody(
  { slug, body }: AgentProject,
  match: MarkdownMatch,
  refusal: string,
): RecordPlace[] {
  if (match.kind === "inexact") throw literalError(`${refusal} It is in body of ${slug}.`);
  if (match.kind === "none") return [];
  const text = String(body);
  return match.edits.map(({ start, end, text: written }) => ({
    slug,
    field: "body",
    keys: [],
    start,
    end,
    written,
    file: `projects/${slug}/body`,
    line: text.slice(0, start).split("\n").length,
    excerpt: text.slice(Math.max(0, start - 30), end + 10).replace(/\s+/g, " "),
  }));
}

/** The alt texts of a gallery's images, including empty ones. */
function placesInGallery({ slug, gallery }: AgentProject, isNamed: IsNamed): RecordPlace[] {
  const items = gallery as readonly { src: string; caption: string; alt?: string }[];
  return items.flatMap(({ src, caption, alt }, index) => {
    if (!isNamed(src, alt ?? null)) return [];
    const end = alt?.length ?? 0;
    const file = `projects/${slug}/gallery`;
    const excerpt = caption === "" ? src : caption;
    const keys = [index, "alt"];
    return [{ slug, field: "gallery", keys, start: 0, end, file, line: index + 1, excerpt }];
  });
}

/** The value with one of its strings changed by `edit`. */
function withString(
  value: unknown,
  keys: readonly (string | number)[],
  edit: (text: string) => string,
): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return edit(typeof value === "string" ? value : "");
  if (Array.isArray(value)) {
    return value.map((inner, at) => (at === key ? withString(inner, rest, edit) : inner));
  }
  const inner = (value as Record<string, unknown>)[key];
  return { ...(value as object), [key]: withString(inner, rest, edit) };
}

function changedFields(
  before: ReadonlyMap<string, AgentProject>,
  after: ReadonlyMap<string, AgentProject>,
): ReturnType<RecordSource["changed"]> {
  return [...after].flatMap(([slug, project]) =>
    recordFields
      .filter((field) => {
        const old = before.get(slug)?.[field];
        return JSON.stringify(old) !== JSON.stringify(project[field]);
      })
      .map((field) => ({ slug, field, value: project[field] })),
  );
}

const foldName = (name: string) => fold(name).replace(/\s+/g, " ").trim().toLowerCase();

const textsOf = (project: AgentProject) =>
  recordFields.flatMap((field) => wholeTexts(project.slug, field, project[field]));

function imagesOf({ slug, gallery }: AgentProject, src: string): RecordImage[] {
  return (gallery as readonly { src: string; alt?: string }[]).flatMap((item, index) =>
    item.src === src ? [{ slug, index, alt: item.alt ?? "" }] : [],
  );
}

/** A project with one image of its gallery replaced. */
function withImage(
  project: AgentProject,
  index: number,
  { src, alt }: { src: string; alt: string },
): AgentProject {
  const gallery = [...(project.gallery as readonly Record<string, unknown>[])];
  const { isDecorative: _, ...item } = gallery[index] ?? {};
  gallery[index] = { ...item, src, alt };
  return { ...project, gallery };
}

/** The records that an agent may change, read once. */
export function readRecords(projects: readonly AgentProject[]): RecordSource {
  const before = new Map(projects.map((project) => [project.slug, project]));
  const after = new Map(before);
  const listed = (slugs: readonly string[]) => slugs.flatMap((slug) => after.get(slug) ?? []);
  return {
    slugs: [...before.keys()],
    findNamed(name) {
      const wanted = foldName(name);
      const named = projects.filter((project) => foldName(project.name) === wanted);
      return named.map(({ slug }) => slug);
    },
    find(slugs, wanted) {
      const search = fold(wanted.replace(/\s+/g, " "));
      return slugs.flatMap((slug) => {
        const project = after.get(slug);
        if (project === undefined) return [];
        return recordFields.flatMap((field) => placesIn(slug, field, project[field], search));
      });
    },
    texts: (slugs) => listed(slugs).flatMap(textsOf),
    images: (slugs, src) => listed(slugs).flatMap((project) => imagesOf(project, src)),
    findLinks: (slugs, address, value) =>
      listed(slugs).flatMap((project) =>
        placesInBody(
          project,
          linkEdits(String(project.body), address, value),
          `The link “${address}” can't be changed to “${value}” exactly.`,
        ),
      ),
    findAlts: (slugs, isNamed, value) =>
      listed(slugs).flatMap((project) =>
        placesInGallery(project, isNamed).concat(
          placesInBody(
            project,
            altEdits(String(project.body), isNamed, value),
            "The alt text of an image can't be written exactly.",
          ),
        ),
      ),
    replace(places, text) {
      // From last to first, so that earlier offsets stay valid.
      for (const { slug, field, keys, start, end, written = text } of places.toSorted(
        (a, b) => b.start - a.start,
      )) {
        const project = after.get(slug);
        if (project === undefined) continue;
        const edit = (old: string) => old.slice(0, start) + written + old.slice(end);
        after.set(slug, { ...project, [field]: withString(project[field], keys, edit) });
      }
    },
    setImage(slug, index, image) {
      const project = after.get(slug);
      if (project !== undefined) after.set(slug, withImage(project, index, image));
    },
    set(slug, field, text) {
      const project = after.get(slug);
      if (project !== undefined) after.set(slug, { ...project, [field]: text });
    },
    changed: () => changedFields(before, after),
  };
}
