import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../kit/json.ts";
import {
  aboutFile,
  type Json,
  type PageTexts,
  servicesFile,
  siteFile,
} from "../portability/resume/page-texts.ts";
import {
  type Identity,
  neutralVoice,
  notFoundFile,
  type SetupInput,
  siteTexts,
} from "./site-texts.ts";

export const voiceFile = "brand/voice.md";
export const changelogFile = "database/changelog.json";
export const portraitFile = "app/public/images/portrait.svg";

/** Texts of the content by path; missing files are left out. */
export type ContentFiles = Readonly<Record<string, string>>;

/** The files that the setup may change. */
export const setupFiles: readonly string[] = [
  ...Object.keys(siteTexts({ name: "", role: "", place: "", email: "" }, {})),
  voiceFile,
  changelogFile,
  portraitFile,
];

const serialize = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A content file as an object; null if the owner has changed its structure. */
function readObject(text: string | undefined): Json | null {
  if (text === undefined) return null;
  try {
    const value = parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Json)
      : null;
  } catch {
    return null;
  }
}

const identityFields = ["name", "role", "place", "email"] as const;

/** What the site says about its person, without the sample's values. */
export function readIdentity(
  present: ContentFiles,
  shipped: ContentFiles,
): { [Field in keyof Identity]: string | null } {
  const [site, sample] = [readObject(present[siteFile]) ?? {}, readObject(shipped[siteFile]) ?? {}];
  const own = identityFields.map((field) => {
    const value = site[field];
    const isOwn = typeof value === "string" && value !== sample[field];
    return [field, isOwn ? value : null];
  });
  return Object.fromEntries(own) as { [Field in keyof Identity]: string | null };
}

/** The sample person's name; empty if there is none. */
export function sampleName(shipped: ContentFiles): string {
  return String(readObject(shipped[siteFile])?.["name"] ?? "");
}

/** The language that the site's pages name; English if they name none. */
export function siteLanguage(present: ContentFiles): string {
  const language = readObject(present[siteFile])?.["language"];
  return typeof language === "string" && language !== "" ? language : "en";
}

function identityOf(input: SetupInput, present: ContentFiles, shipped: ContentFiles): Identity {
  const own = readIdentity(present, shipped);
  const values = identityFields.map((field) => [field, input[field] ?? own[field] ?? ""]);
  return Object.fromEntries(values) as unknown as Identity;
}

/** Fields set by the owner's answers; they are overwritten in any case. */
function answeredFields(input: SetupInput): ReadonlySet<string> {
  const answered = [
    ...identityFields.filter((field) => input[field] !== undefined).map((f) => [siteFile, f]),
    ...(input.theme === undefined ? [] : [[siteFile, "look"]]),
    ...(input.accent === undefined ? [] : [[siteFile, "accent"]]),
    ...(input.about === undefined ? [] : [[aboutFile, "story"]]),
    ...(input.portrait === undefined ? [] : [[aboutFile, "portrait"]]),
    ...(input.services === undefined ? [] : [[servicesFile, "services"]]),
  ];
  return new Set(answered.map(([file, field]) => `${file} ${field}`));
}

function nextPage(
  file: string,
  texts: Json,
  compared: { present: Json; shipped: Json | null; before: Json; answered: ReadonlySet<string> },
): Json {
  const { present, shipped, before, answered } = compared;
  const next = { ...present };
  for (const [field, value] of Object.entries(texts)) {
    const isOpen = [shipped ?? {}, before].some(
      (other) => field in other && isDeepStrictEqual(other[field], present[field]),
    );
    if (isOpen || answered.has(`${file} ${field}`)) next[field] = value;
  }
  return next;
}

export interface SetupRequest {
  /** The current content, and the shipped one with the sample person. */
  present: ContentFiles;
  shipped: ContentFiles;
  /** The answers applied by the previous setup run; null the first time. */
  before: SetupInput | null;
  input: SetupInput;
}

/** A page's content before and after, and the texts that the setup has for it. */
interface PageResult {
  file: string;
  page: Json;
  next: Json;
  texts: Json;
}

/** The content pages that the setup changes or leaves, each with its texts. */
export function nextPages({ present, shipped, before, input }: SetupRequest): PageResult[] {
  const texts = siteTexts(identityOf(input, present, shipped), input);
  const former: PageTexts =
    before === null ? {} : siteTexts(identityOf(before, present, shipped), before);
  const answered = answeredFields(input);
  return Object.entries(texts).flatMap(([file, fields]) => {
    const page = readObject(present[file]);
    if (page === null) return [];
    const compared = {
      present: page,
      shipped: readObject(shipped[file]),
      before: former[file] ?? {},
      answered,
    };
    return [{ file, page, next: nextPage(file, fields, compared), texts: fields }];
  });
}

/**
 * The new texts of the site's files by path; null deletes a file. Answers replace the corresponding
 * content; the rest of the sample's content, or of an earlier setup, becomes neutral text. What the
 * owner has written stays.
 */
export function applySetup(request: SetupRequest): Record<string, string | null> {
  const { present, shipped } = request;
  const changed: Record<string, string | null> = {};
  let portraitSource: unknown;
  for (const { file, page, next } of nextPages(request)) {
    if (file === aboutFile) portraitSource = (next["portrait"] as Json | undefined)?.["src"];
    if (!isDeepStrictEqual(next, page)) changed[file] = serialize(next);
  }
  const isShipped = (file: string) =>
    present[file] !== undefined && present[file] === shipped[file];
  if (isShipped(voiceFile)) changed[voiceFile] = neutralVoice;
  if (isShipped(changelogFile) && present[changelogFile] !== serialize([])) {
    changed[changelogFile] = serialize([]);
  }
  if (isShipped(portraitFile) && portraitSource !== portraitFile.replace("app/public", "")) {
    changed[portraitFile] = null;
  }
  return changed;
}

/** The files that still contain content of the sample. */
export function sampleFiles(present: ContentFiles, shipped: ContentFiles): string[] {
  const neutral = siteTexts({ name: "", role: "", place: "", email: "" }, {});
  const pages = Object.entries(neutral).filter(([file, fields]) => {
    const [page, sample] = [readObject(present[file]), readObject(shipped[file])];
    if (file === notFoundFile || page === null || sample === null) return false;
    return Object.keys(fields).some(
      (field) =>
        !isDeepStrictEqual(sample[field], fields[field]) &&
        isDeepStrictEqual(page[field], sample[field]),
    );
  });
  const whole = [voiceFile, changelogFile].filter(
    (file) => present[file] !== undefined && present[file] === shipped[file],
  );
  return [...pages.map(([file]) => file), ...whole];
}
