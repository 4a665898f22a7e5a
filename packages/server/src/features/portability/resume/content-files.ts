import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Resume } from "./json-resume.ts";
import {
  aboutFile,
  contactFile,
  designFile,
  homeFile,
  type Json,
  textsFromResume,
  type SampleTexts,
  listSampleTexts,
  projectsFile,
  servicesFile,
  siteFile,
  type PageTexts,
} from "./page-texts.ts";
import { imageOf, nextPortrait, type PortraitFile, addPortrait } from "./portrait.ts";

/** The site's files with the résumé and with the changelog's seed. */
export const resumeFile = "app/src/content/resume.json";
export const changelogFile = "database/changelog.json";

/** The files of the site's source with texts about the owner; a résumé needs the first two. */
export const siteIdentityFiles: readonly string[] = [
  resumeFile,
  siteFile,
  homeFile,
  aboutFile,
  contactFile,
  projectsFile,
  servicesFile,
  designFile,
  changelogFile,
];

/** Their texts by path, without files that the owner has removed. */
export type SiteIdentityFiles = Readonly<Record<string, string>>;

function readObject(path: string, text: string): Json {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new AppError("validation_failed", `${path} isn't a JSON object. Repair it in the console.`);
}

/** A file that a résumé requires. */
function readNeeded(files: SiteIdentityFiles, path: string): Json {
  const text = files[path];
  if (text !== undefined) return readObject(path, text);
  throw new AppError("unavailable", `The site has no ${path}, so a résumé can't be imported.`);
}

/** The existing pages that can be read; the build reports errors in the others. */
function readPages(files: SiteIdentityFiles): PageTexts {
  const pages: [string, Json][] = [];
  for (const [path, text] of Object.entries(files)) {
    if ([resumeFile, changelogFile].includes(path)) continue;
    try {
      pages.push([path, readObject(path, text)]);
    } catch {
      // The owner has changed its structure.
    }
  }
  return Object.fromEntries(pages);
}

/** The current value in the résumé's place, whatever its type. */
function asResume(value: unknown): Resume {
  const { basics, ...rest } = (value ?? {}) as Json;
  return { ...rest, basics: { ...(basics as Json | null | undefined) } };
}

const write = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");

function describe(resume: Resume): string {
  const { name, label } = resume.basics;
  const who = [text(name), text(label)].filter(Boolean).join(", ");
  return `Résumé of ${who}: experience, projects, skills, education.`;
}

/** Texts of the site that change. */
export interface TextChange {
  file: string;
  field: string;
  value: unknown;
}

/** Whether it is the portrait. */
export function isPortrait({ file, field }: Pick<TextChange, "file" | "field">): boolean {
  return file === aboutFile && field === "portrait";
}

export interface SiteIdentityChange {
  /** The texts of the files that change, by path. */
  files: Record<string, string>;
  texts: TextChange[];
  /** What is then still about the sample person. */
  unchangedTexts: SampleTexts[];
  /** Whether the sample's entries are removed from the changelog. */
  changelog: boolean;
  /** Whether the résumé changes. */
  isNew: boolean;
  /** Whether the existing résumé was written for this site and isn't the sample. */
  isOwn: boolean;
}

/** The content to import; without a résumé if there is none. */
export interface SiteIdentityRequest {
  resume: Resume | null;
  /** Its stored portrait; null if it has none. */
  portrait: PortraitFile | null;
  withoutSamples: boolean;
}

/**
 * The texts that can be replaced because they come from the sample, or from an import of the
 * previous résumé.
 */
function textChanges(
  { pages, sample, before }: { pages: PageTexts; sample: PageTexts; before: PageTexts },
  fromResume: PageTexts,
): TextChange[] {
  return Object.entries(pages).flatMap(([file, page]) =>
    Object.entries(fromResume[file] ?? {}).flatMap(([field, value]): TextChange[] => {
      const isTheirs = [sample, before].some(
        (texts) =>
          texts[file]?.[field] !== undefined && isDeepStrictEqual(texts[file][field], page[field]),
      );
      return isTheirs && !isDeepStrictEqual(page[field], value) ? [{ file, field, value }] : [];
    }),
  );
}

/**
 * The changes of an import to the site's source: the whole résumé, and those texts of the pages and
 * the portrait that the résumé determines and that still come from the `sample` or from the
 * previous résumé; with `withoutSamples`, also the sample's changelog. With a résumé, throws
 * `unavailable` if its file is missing, and `malformed_json` or `validation_failed` if it is
 * invalid.
 */
export function importSiteIdentity(
  own: SiteIdentityFiles,
  shipped: SiteIdentityFiles,
  { resume: input, portrait, withoutSamples }: SiteIdentityRequest,
): SiteIdentityChange {
  const resume = input && addPortrait(input, portrait);
  const page = resume === null ? {} : readNeeded(own, resumeFile);
  if (resume !== null) readNeeded(own, siteFile);
  const samplePage = readNeeded(shipped, resumeFile);
  const [pages, sample] = [readPages(own), readPages(shipped)];
  const isOwn = !isDeepStrictEqual(page["resume"], samplePage["resume"]);
  const isNew = resume !== null && !isDeepStrictEqual(page["resume"], resume);
  const language = text(pages[siteFile]?.["language"]) || "en";
  const present = asResume(page["resume"]);
  const before = isOwn ? textsFromResume(present, sample, language) : {};
  const fromResume = resume === null ? {} : textsFromResume(resume, sample, language);
  const texts = textChanges({ pages, sample, before }, fromResume);
  if (resume !== null) {
    const portraits = [pages, sample].map((each) => each[aboutFile]?.["portrait"]);
    const to = { resume, file: portrait };
    const value = nextPortrait(portraits[0], to, { before: present, sample: portraits[1] });
    if (value !== null) texts.push({ file: aboutFile, field: "portrait", value });
  }
  const files: Record<string, string> = {};
  if (isNew) {
    const isSampleText = [samplePage["description"], isOwn && describe(present)].includes(
      page["description"] as string,
    );
    const description =
      isSampleText && text(resume.basics["name"]) !== "" ? { description: describe(resume) } : {};
    files[resumeFile] = write({ ...page, ...description, resume });
  }
  const after = Object.fromEntries(
    Object.entries(pages).map(([file, fields]) => {
      const set = texts.filter((word) => word.file === file);
      const next = {
        ...fields,
        ...Object.fromEntries(set.map((each) => [each.field, each.value])),
      };
      if (set.length > 0) files[file] = write(next);
      return [file, next];
    }),
  );
  const entries = own[changelogFile];
  const changelog = withoutSamples && entries !== undefined && entries === shipped[changelogFile];
  if (changelog) files[changelogFile] = write([]);
  const left = listSampleTexts((file, field) => {
    const sampleText = sample[file]?.[field];
    return sampleText !== undefined && isDeepStrictEqual(after[file]?.[field], sampleText);
  });
  return { files, texts, unchangedTexts: left, changelog, isNew, isOwn };
}

/** The address of the portrait in the site's résumé; undefined if there is none. */
export function resumeImage(own: SiteIdentityFiles): string {
  return imageOf(asResume(readNeeded(own, resumeFile)["resume"]));
}

/** The site's résumé as a JSON Resume for an export; `image` is the portrait's address there. */
export function exportResume(own: SiteIdentityFiles, image?: string): Json {
  const { basics, ...resume } = asResume(readNeeded(own, resumeFile)["resume"]);
  const schema = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json";
  return {
    $schema: schema,
    basics: image === undefined ? basics : { ...basics, image },
    ...resume,
  };
}
