import { cleanText } from "../../../kit/text.ts";
import type { Media } from "../../media/store.ts";
import type { Resolved } from "../folder/resolve.ts";
import type { Problem } from "../problem.ts";
import type { Resume } from "./json-resume.ts";

type Json = Record<string, unknown>;

/** A stored portrait. */
export type PortraitFile = Pick<Media, "src" | "width" | "height" | "variants">;

/** A résumé and its portrait in the folder. */
export interface ResumeWithPortrait {
  resume: Resume;
  /** Its path in the imported folder; null for none. */
  portrait: string | null;
}

/** The address of the person's image in a résumé; empty if there is none. */
export function imageOf({ basics: { image } }: Resume): string {
  return typeof image === "string" ? image.trim() : "";
}

function withImage(resume: Resume, image: string): Resume {
  return { ...resume, basics: { ...resume.basics, image } };
}

function withoutImage(resume: Resume): Resume {
  const { image: _, ...basics } = resume.basics;
  return { ...resume, basics };
}

/** A résumé as the site stores it, with the address of the stored image. */
export function addPortrait(resume: Resume, portrait: PortraitFile | null): Resume {
  return portrait === null ? resume : withImage(resume, portrait.src);
}

/**
 * Finds the image in `basics.image` of a résumé in a folder; `resolve` is null for a résumé without
 * a folder. An address on another site stays unchanged, and nothing is fetched.
 */
export function readPortrait(
  file: string,
  resume: Resume,
  resolve: ((address: string) => Resolved) | null,
): ResumeWithPortrait & { problems: Problem[] } {
  const image = imageOf(resume);
  if (image === "") return { resume, portrait: null, problems: [] };
  const shortened = image.length > 60 ? `${image.slice(0, 59)}…` : image;
  const none = (level: Problem["level"], message: string, rest = resume) => {
    const problem = { level, file, line: null, field: "/basics/image", message };
    return { resume: rest, portrait: null, problems: [problem] };
  };
  const isElsewhere = /^(?:https?:)?\/\/|^data:/i.test(image);
  if (isElsewhere)
    return none("note", `${shortened} isn't a file and isn't fetched, so the portrait stays`);
  if (resolve === null) {
    const message = `${shortened} is left out. Import the folder that contains it to use it as the portrait`;
    return none("warning", message, withoutImage(resume));
  }
  const found = resolve(image);
  if ("path" in found) {
    const { problems } = none("warning", `${shortened} is written ${found.path} in the folder`);
    return { resume, portrait: found.path, problems: found.differs ? problems : [] };
  }
  // Such as /images/me.png, which somebody has set by hand and an export gives as it is.
  if (image.startsWith("/"))
    return none("warning", `${shortened} isn't a file here, so it's kept as it is`);
  return none("error", `${shortened} ${"fault" in found ? found.fault : "is on another site"}`);
}

/** The image's alt text. */
export function portraitAlt({ basics: { name } }: Resume): string {
  const who = typeof name === "string" ? cleanText(name.replace(/\s+/g, " ")) : "";
  return who === "" ? "Portrait" : `Portrait of ${who}`;
}

function made({ src, width, height, variants }: PortraitFile, alt: string): Json {
  const smaller = variants.filter((each) => each.width < width);
  const widths = [...smaller, { src, width }].map((each) => `${each.src} ${each.width}w`);
  const srcset = smaller.length > 0 ? { srcset: widths.join(", ") } : {};
  return { src, ...srcset, alt, width, height, caption: "" };
}

const sourceOf = (portrait: unknown) =>
  typeof portrait === "object" && portrait !== null && "src" in portrait
    ? String(portrait.src)
    : null;

/**
 * The page's new portrait; null if it stays, because the résumé has no stored image, or because the
 * page shows one that comes neither from the `sample` nor from the previous résumé. An alternative
 * text that somebody has written for the same image stays, too.
 */
export function nextPortrait(
  present: unknown,
  to: { resume: Resume; file: PortraitFile | null },
  { before, sample }: { before: Resume; sample: unknown },
): Json | null {
  const source = sourceOf(present);
  const { resume, file } = to;
  if (file === null || source === null) return null;
  const alt = portraitAlt(resume);
  if (source === file.src) {
    const page = present as Json;
    const isTheirs = page["alt"] === portraitAlt(before) && page["alt"] !== alt;
    return isTheirs ? { ...page, alt } : null;
  }
  const isOpen = [sourceOf(sample), imageOf(before)].includes(source);
  return isOpen ? made(file, alt) : null;
}
