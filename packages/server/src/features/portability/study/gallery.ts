import { projectFields } from "../../projects/project.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { Said } from "./said.ts";
import { asPicture, asPictures, asText, type NamedPicture } from "./values.ts";

/** A picture or film of the folder that a study shows. */
export interface StudyPicture {
  /** Below the folder that is imported. */
  path: string;
  /** Not said is undefined. */
  alt: string | undefined;
  caption: string;
}

/** Stands where the address of what is not stored yet will be. */
const somewhere = "/media/2026/000000000000-picture.webp";

type From = "cover" | "gallery" | "reel";

interface Place {
  from: From;
  inside: (string | number)[];
}

/** What of a picture is beyond the record's bounds is told. */
function checkWords(said: Said, picture: NamedPicture, { from, inside }: Place): void {
  const { alt, caption } = picture;
  const item = { src: somewhere, caption, ...(alt === undefined ? {} : { alt }) };
  const result = projectFields.gallery.safeParse([item]);
  for (const { path, message } of result.error?.issues ?? []) {
    said.tell(from, message, { inside: [...inside, ...(path.slice(1) as (string | number)[])] });
  }
}

function resolved(
  said: Said,
  picture: NamedPicture,
  place: Place,
  resolve: (address: string) => Resolved,
): StudyPicture | null {
  const { from, inside } = place;
  const found = resolve(picture.address);
  if ("remote" in found) {
    const message = `${found.remote} is elsewhere and is not fetched: left out`;
    said.tell(from, message, { inside, level: "warning" });
    return null;
  }
  if ("fault" in found) {
    said.tell(from, `${picture.address} ${found.fault}`, { inside });
    return null;
  }
  if (found.differs) {
    const message = `${picture.address} is written ${found.path} in the folder`;
    said.tell(from, message, { inside, level: "warning" });
  }
  checkWords(said, picture, place);
  return { path: found.path, alt: picture.alt, caption: picture.caption };
}

/** Each file once, at its first place, with the words that any of its places has, the text included. */
function once(
  pictures: readonly StudyPicture[],
  described: ReadonlyMap<string, string>,
): StudyPicture[] {
  const byPath = new Map<string, StudyPicture>();
  for (const picture of pictures) {
    const before = byPath.get(picture.path);
    if (before === undefined) byPath.set(picture.path, { ...picture });
    else {
      before.alt ||= picture.alt;
      before.caption ||= picture.caption;
    }
  }
  for (const picture of byPath.values()) {
    const said = described.get(picture.path);
    // Said to be empty, it is decoration.
    if (said !== undefined && said.length <= 300) picture.alt ??= said;
  }
  return [...byPath.values()];
}

export interface GalleryOptions {
  resolve(address: string): Resolved;
  /** What the text shows by itself. */
  fromBody: readonly StudyPicture[];
  /** What the text says that pictures show, by path, those included that stay in it. */
  described: ReadonlyMap<string, string>;
  /** Whether this is an export: its pictures are as they were, also where one is shown twice. */
  verbatim: boolean;
}

/**
 * The pictures of a study: the cover, the gallery, a film, and those of the text. Null where it says
 * nothing of any.
 */
export function readGallery(
  said: Said,
  { resolve, fromBody, described, verbatim }: GalleryOptions,
): StudyPicture[] | null {
  const found: StudyPicture[] = [];
  const add = (picture: NamedPicture, place: Place) => {
    const stored = resolved(said, picture, place, resolve);
    if (stored !== null) found.push(stored);
  };
  const cover = said.read("cover", asPicture);
  if (cover) {
    const alt = cover.alt ?? said.read("coverAlt", asText);
    const caption = cover.caption || (said.read("coverCaption", asText) ?? "");
    add({ ...cover, alt, caption }, { from: "cover", inside: [] });
  }
  const gallery = said.read("gallery", asPictures) ?? [];
  for (const [index, item] of gallery.entries()) add(item, { from: "gallery", inside: [index] });
  const film = said.read("reel", asText);
  if (film !== undefined && film !== "" && "path" in resolve(film)) {
    add({ address: film, alt: undefined, caption: "" }, { from: "reel", inside: [] });
  }
  const pictures = verbatim ? found : once([...found, ...fromBody], described);
  const isSaid = said.has("gallery") || said.has("cover") || fromBody.length > 0;
  if (pictures.length === 0 && !isSaid) return null;
  if (!projectFields.gallery.safeParse(pictures.map(() => ({ src: somewhere }))).success) {
    said.tellAt(null, `shows ${pictures.length} pictures: a project takes at most 60`);
  }
  for (const { path, alt } of pictures) {
    if (verbatim || (alt !== undefined && alt !== "")) continue;
    said.tellAt(null, `${path} has no description for those who don't see it (alt)`, "warning");
  }
  return pictures;
}
