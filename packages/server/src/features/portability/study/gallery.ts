import { projectFields } from "../../projects/project.ts";
import { isMediaName } from "../folder/media-names.ts";
import type { Resolved } from "../folder/resolve.ts";
import { plainName } from "./field-names.ts";
import { decodeEntities } from "./markup/markup-context.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";
import {
  asImage,
  asImages,
  asText,
  imagesInside,
  isInvalid,
  type NamedImage,
  type ParsedValue,
} from "./values.ts";

/** An image or video of the folder that a study shows. */
export interface StudyImage {
  /** Below the folder that is imported. */
  path: string;
  /** Not said is undefined. */
  alt: string | undefined;
  caption: string;
}

/** Stands where the address of what is not stored yet will be. */
const somewhere = "/media/2026/000000000000-picture.webp";

type From = "cover" | "gallery" | "reel";

interface ImagePlace {
  from: From;
  inside: (string | number)[];
}

/** What of an image is beyond the record's bounds is told. */
function checkTexts(
  description: FrontMatterReader,
  image: NamedImage,
  { from, inside }: ImagePlace,
): void {
  const { alt, caption } = image;
  const item = { src: somewhere, caption, ...(alt === undefined ? {} : { alt }) };
  const result = projectFields.gallery.safeParse([item]);
  for (const { path, message } of result.error?.issues ?? []) {
    description.report(from, message, {
      inside: [...inside, ...(path.slice(1) as (string | number)[])],
    });
  }
}

function resolved(
  description: FrontMatterReader,
  image: NamedImage,
  place: ImagePlace,
  resolve: (address: string) => Resolved,
): StudyImage | null {
  const { from, inside } = place;
  const found = resolve(image.address);
  if ("remote" in found) {
    const message = `${found.remote} is on another site and isn't fetched, so it's left out`;
    description.report(from, message, { inside, level: "warning" });
    return null;
  }
  if ("fault" in found) {
    description.report(from, `${image.address} ${found.fault}`, { inside });
    return null;
  }
  if (found.differs) {
    const message = `${image.address} is written ${found.path} in the folder`;
    description.report(from, message, { inside, level: "warning" });
  }
  checkTexts(description, image, place);
  return { path: found.path, alt: image.alt, caption: image.caption };
}

/** Each file once, at its first place, with the words that any of its places has, the text included. */
function once(images: readonly StudyImage[], described: ReadonlyMap<string, string>): StudyImage[] {
  const byPath = new Map<string, StudyImage>();
  for (const image of images) {
    const before = byPath.get(image.path);
    if (before === undefined) byPath.set(image.path, { ...image });
    else {
      before.alt ||= image.alt;
      before.caption ||= image.caption;
    }
  }
  for (const image of byPath.values()) {
    const description = described.get(image.path);
    // Said to be empty, it is decoration.
    if (description !== undefined && description.length <= 300) image.alt ??= description;
  }
  return [...byPath.values()];
}

export interface GalleryOptions {
  resolve(address: string): Resolved;
  /** What the text shows by itself. */
  fromBody: readonly StudyImage[];
  /** What the text says that images show, by path, those included that stay in it. */
  described: ReadonlyMap<string, string>;
  /** Whether this is an export: its images are as they were, also where one is shown twice. */
  verbatim: boolean;
  /** All files that the text shows. */
  shown: ReadonlySet<string>;
  /** The images in the folder that is the study's own, by their paths. */
  beside: readonly string[];
}

const coverName =
  /(?:^|\/)(?:_?)(?:cover|featured?|hero|thumb(?:nail)?|banner|main|preview|card)[^/]*$/i;
const maxImages = 60;

/** A value that is no image as it should be may hold some. */
function readLoosely<T>(
  description: FrontMatterReader,
  from: "cover" | "gallery",
  read: (value: unknown) => ParsedValue<T>,
): T | NamedImage[] | undefined {
  const raw = description.raw(from);
  const found = isInvalid(read(raw)) ? imagesInside(raw) : [];
  return found.length > 0 ? found : description.read(from, read);
}

const withoutLinks = (caption: string) =>
  decodeEntities(caption.replace(/\[([^\]]{0,300})\]\([^)\s]{0,500}\)/g, "$1"));

/** A name without the part that tells an image from its alt text: imgSrc1 and imageAlt1 are the same. */
const numberedName = (name: string) =>
  /\d$/.test(name) ? name.replace(/src|url|path|image|img|photo|picture|alt|text/g, "") : null;

/** Images of the front matter under names that mean nothing here, where the folder has them. */
function imagesOfRest(description: FrontMatterReader, resolve: GalleryOptions["resolve"]) {
  const images: StudyImage[] = [];
  const texts = new Map(
    description.rest.map((entry) => [plainName(entry.path.at(-1) ?? ""), entry]),
  );
  const alts = new Map(
    [...texts].flatMap(([name, entry]) => {
      const numbered = name.includes("alt") ? numberedName(name) : null;
      return numbered === null ? [] : [[numbered, entry] as const];
    }),
  );
  for (const entry of description.rest) {
    const name = plainName(entry.path.at(-1) ?? "");
    const said = texts.get(`${name}alt`) ?? alts.get(numberedName(name) ?? "");
    for (const { address, alt, caption } of imagesInside(entry.value)) {
      const found = resolve(address);
      if (!("path" in found) || !isMediaName(found.path)) continue;
      const words = alt ?? (typeof said?.value === "string" ? said.value : undefined);
      images.push({ path: found.path, alt: words, caption: withoutLinks(caption).slice(0, 300) });
      description.use(entry);
      if (said !== undefined) description.use(said);
    }
  }
  return images;
}

const attributeOf = (tag: string, name: string) =>
  new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i")
    .exec(tag)
    ?.slice(1)
    .find(Boolean);

/** Images in the prose of fields that show none, where the folder has them. */
function imagesOfProse(description: FrontMatterReader, resolve: GalleryOptions["resolve"]) {
  const prose = (["summary", "lede"] as const).flatMap((field) =>
    [description.raw(field)]
      .flat()
      .filter((each) => typeof each === "string")
      .map((text) => ({ field, text })),
  );
  const tags =
    /<img\s[^<>]{0,2000}>|!\[([^[\]\n]{0,300})\]\(<?([^()<>\s]{1,500})[^()\n]{0,300}\)/gi;
  return prose.flatMap(({ field, text }) =>
    [...text.matchAll(tags)].flatMap(([whole, words, target]): StudyImage[] => {
      const found = resolve(decodeEntities(target ?? attributeOf(whole, "src") ?? ""));
      if (!("path" in found) || !isMediaName(found.path)) {
        description.report(field, "has an image that isn't in the folder, so it's left out", {
          level: "warning",
        });
        return [];
      }
      const alt = words ?? attributeOf(whole, "alt");
      return [{ path: found.path, alt: alt ? decodeEntities(alt) : undefined, caption: "" }];
    }),
  );
}

/**
 * The images of a study: the cover, the gallery, a video, and those of the text. Null where it says
 * nothing of any.
 */
export function readGallery(
  description: FrontMatterReader,
  options: GalleryOptions,
): StudyImage[] | null {
  const { resolve, fromBody, described, verbatim, shown } = options;
  const found: StudyImage[] = [];
  const add = (given: NamedImage, place: ImagePlace) => {
    // A caption is a text without links here.
    const image = verbatim ? given : { ...given, caption: withoutLinks(given.caption) };
    const stored = resolved(description, image, place, resolve);
    if (stored !== null) found.push(stored);
  };
  const cover = description.has("cover") ? readLoosely(description, "cover", asImage) : undefined;
  const covers = Array.isArray(cover) ? cover : cover ? [cover] : [];
  for (const [index, each] of covers.entries()) {
    const isFirst = index === 0;
    const alt = each.alt ?? (isFirst ? description.read("coverAlt", asText) : undefined);
    const own = isFirst ? (description.read("coverCaption", asText) ?? "") : "";
    add({ ...each, alt, caption: each.caption || own }, { from: "cover", inside: [] });
  }
  if (!verbatim) found.push(...imagesOfProse(description, resolve));
  const gallery = description.has("gallery")
    ? readLoosely(description, "gallery", asImages)
    : undefined;
  for (const [index, item] of (gallery ?? []).entries()) {
    add(item, { from: "gallery", inside: [index] });
  }
  const video = description.read("reel", asText);
  if (video !== undefined && video !== "" && "path" in resolve(video)) {
    add({ address: video, alt: undefined, caption: "" }, { from: "reel", inside: [] });
  }
  const rest = verbatim ? [] : imagesOfRest(description, resolve);
  const known = new Set(
    [...found, ...fromBody, ...rest].map(({ path }) => path).concat([...shown]),
  );
  const beside = (verbatim ? [] : options.beside)
    .filter((path) => !known.has(path))
    .map((path): StudyImage => ({ path, alt: undefined, caption: "" }));
  const lead = found.length === 0 ? beside.filter(({ path }) => coverName.test(path)) : [];
  const others = beside.filter((each) => !lead.includes(each));
  const images = verbatim
    ? found
    : once([...lead, ...found, ...fromBody, ...rest, ...others], described);
  const isPresent = description.has("gallery") || description.has("cover") || fromBody.length > 0;
  if (images.length === 0 && !isPresent) return null;
  if (!projectFields.gallery.safeParse(images.map(() => ({ src: somewhere }))).success) {
    description.reportAt(null, `shows ${images.length} images, but a project can have at most 60`);
    if (!verbatim) images.length = maxImages;
  }
  for (const { path, alt } of images) {
    if (verbatim || (alt !== undefined && alt !== "")) continue;
    description.reportAt(null, `${path} has no alt text`, "warning");
  }
  return images;
}
