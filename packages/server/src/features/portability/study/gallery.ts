import { projectFields } from "../../projects/project.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";
import { asImage, asImages, asText, type NamedImage } from "./values.ts";

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
    const message = `${found.remote} is elsewhere and is not fetched: left out`;
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
}

/**
 * The images of a study: the cover, the gallery, a video, and those of the text. Null where it says
 * nothing of any.
 */
export function readGallery(
  description: FrontMatterReader,
  { resolve, fromBody, described, verbatim }: GalleryOptions,
): StudyImage[] | null {
  const found: StudyImage[] = [];
  const add = (image: NamedImage, place: ImagePlace) => {
    const stored = resolved(description, image, place, resolve);
    if (stored !== null) found.push(stored);
  };
  const cover = description.read("cover", asImage);
  if (cover) {
    const alt = cover.alt ?? description.read("coverAlt", asText);
    const caption = cover.caption || (description.read("coverCaption", asText) ?? "");
    add({ ...cover, alt, caption }, { from: "cover", inside: [] });
  }
  const gallery = description.read("gallery", asImages) ?? [];
  for (const [index, item] of gallery.entries()) add(item, { from: "gallery", inside: [index] });
  const video = description.read("reel", asText);
  if (video !== undefined && video !== "" && "path" in resolve(video)) {
    add({ address: video, alt: undefined, caption: "" }, { from: "reel", inside: [] });
  }
  const images = verbatim ? found : once([...found, ...fromBody], described);
  const isPresent = description.has("gallery") || description.has("cover") || fromBody.length > 0;
  if (images.length === 0 && !isPresent) return null;
  if (!projectFields.gallery.safeParse(images.map(() => ({ src: somewhere }))).success) {
    description.reportAt(null, `shows ${images.length} pictures: a project takes at most 60`);
  }
  for (const { path, alt } of images) {
    if (verbatim || (alt !== undefined && alt !== "")) continue;
    description.reportAt(
      null,
      `${path} has no description for those who don't see it (alt)`,
      "warning",
    );
  }
  return images;
}
