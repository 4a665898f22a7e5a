import { readAstro, type Tag } from "../literal/astro-source.ts";
import { readJson } from "../literal/json-source.ts";
import { readMarkdown } from "../literal/markdown-edit.ts";
import { type Sources, slugsOnPage } from "../literal/nearest.ts";
import { decode, encode } from "../literal/segment.ts";
import type { SiteSource } from "../literal/site-source.ts";
import { sourceOfPath } from "../routes.ts";

/** The stored image that takes another's place. */
export interface NewImage {
  src: string;
  width: number;
  height: number;
  alt: string;
}

/** A stretch of a file with what is written there instead. */
interface Rewritten {
  start: number;
  end: number;
  text: string;
}

/** One place where an image is shown, and what makes it another. */
export interface ImagePlace {
  /** Where it is, for people. */
  where: string;
  replace(image: NewImage): void;
}

function applied(source: string, edits: readonly Rewritten[]): string {
  let result = source;
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + text + result.slice(end);
  }
  return result;
}

/** The innermost object of a JSON text around an offset, where it holds no other. */
function objectAround(source: string, at: number): { start: number; end: number } | null {
  const start = source.lastIndexOf("{", at);
  const end = source.indexOf("}", at);
  return start < 0 || end < 0 ? null : { start, end };
}

function sizesIn(source: string, at: number, image: NewImage): Rewritten[] {
  const object = objectAround(source, at);
  if (object === null) return [];
  const text = source.slice(object.start, object.end);
  return (["width", "height"] as const).flatMap((name) => {
    const match = new RegExp(`"${name}"\\s*:\\s*(\\d+)`).exec(text);
    if (match?.[1] === undefined) return [];
    const end = object.start + match.index + match[0].length;
    return [{ start: end - match[1].length, end, text: String(image[name]) }];
  });
}

function inJson(site: SiteSource, file: string, src: string): ImagePlace[] {
  const source = site.text(file);
  const strings = readJson(source);
  const objectOf = (path: (string | number)[]) => JSON.stringify(path.slice(0, -1));
  const shown = strings.filter(
    (entry) => entry.name === "src" && decode(source, entry).text === src,
  );
  return shown.map((entry) => ({
    where: file.split("/").at(-1) ?? "",
    replace(image) {
      // Read again: an edit before this one may have moved it.
      const now = site.text(file);
      const places = readJson(now);
      const same = places.filter(({ path }) => objectOf(path) === objectOf(entry.path));
      const texts: Readonly<Record<string, string>> = { src: image.src, alt: image.alt };
      const edits = same.flatMap((place): Rewritten[] => {
        const text = texts[String(place.path.at(-1))];
        return text === undefined ? [] : [{ ...place, text: encode(text, place) }];
      });
      const at = same.find(({ path }) => path.at(-1) === "src")?.start ?? 0;
      site.set(file, applied(now, [...edits, ...sizesIn(now, at, image)]));
    },
  }));
}

function isPlain(tag: Tag): boolean {
  return tag.attributes.every(({ name, expression }) => !(name === "src" && expression));
}

function inAstro(site: SiteSource, file: string, src: string): ImagePlace[] {
  const named = (source: string) =>
    readAstro(source).tags.filter((tag) =>
      tag.attributes.some(
        ({ name, start, end }) => name === "src" && source.slice(start, end) === src,
      ),
    );
  return named(site.text(file))
    .filter(isPlain)
    .map((_, index) => ({
      where: file.split("/").at(-1) ?? "",
      replace(image) {
        const now = site.text(file);
        // Those replaced before have left the list.
        const tag = named(now)[0] ?? named(now)[index];
        if (tag === undefined) return;
        const edits = tag.attributes.flatMap(({ name, start, end, quote, kind }): Rewritten[] => {
          if (!(name in image) || end === 0) return [];
          const value = String(image[name as keyof NewImage]);
          return [{ start, end, text: quote === "" ? value : encode(value, { kind, quote }) }];
        });
        site.set(file, applied(now, edits));
      },
    }));
}

const withoutBrackets = (alt: string): string => alt.replace(/[[\]\\]/g, "\\$&");

function inRecords({ projects }: Sources, slugs: readonly string[], src: string): ImagePlace[] {
  const gallery = projects.images(slugs, src).map(({ slug, index }) => ({
    where: `gallery of ${slug}`,
    replace(image: NewImage) {
      projects.setImage(slug, index, image);
    },
  }));
  const bodies = projects.texts(slugs).flatMap(({ slug, field, text }): ImagePlace[] => {
    if (field !== "body" || !text.includes(src)) return [];
    return readMarkdown(text)
      .images.filter((image) => image.src === src && text.includes(image.raw))
      .map(({ raw }) => ({
        where: `body of ${slug}`,
        replace(image) {
          const body = projects.texts([slug]).find((one) => one.field === "body")?.text ?? "";
          const written = `![${withoutBrackets(image.alt)}](${image.src})`;
          projects.set(
            slug,
            "body",
            body.replace(raw, () => written),
          );
        },
      }));
  });
  return [...gallery, ...bodies];
}

function inFiles(site: SiteSource, files: readonly string[], src: string): ImagePlace[] {
  return [...new Set(files)].flatMap((file) => {
    if (file.endsWith(".json")) return inJson(site, file, src);
    return file.endsWith(".astro") ? inAstro(site, file, src) : [];
  });
}

/** Where an image of a page is written: the nearest places, and all of the site. */
export function findImagePlaces(
  sources: Sources,
  { page, src }: { page: string; src: string },
): { nearest: ImagePlace[]; all: ImagePlace[] } {
  const { site, projects } = sources;
  const path = page.replace(/[?#].*$/s, "").replace(/(?<=.)\/$/, "");
  const pageFile = sourceOfPath(site.files, path);
  const reached = pageFile === null ? { own: [], all: [] } : site.reach(pageFile);
  const own = [
    ...inFiles(site, reached.own, src),
    ...inRecords(sources, slugsOnPage(path, projects), src),
  ];
  const all = [...inFiles(site, site.sources, src), ...inRecords(sources, projects.slugs, src)];
  return { nearest: own.length > 0 ? own : all, all };
}
