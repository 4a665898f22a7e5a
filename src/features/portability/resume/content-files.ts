import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import type { Resume } from "./json-resume.ts";

/** The files of the site's source that say who its owner is. */
export const resumeFile = "app/src/content/resume.json";
export const siteFile = "app/src/content/site.json";

/** The texts of both files. */
export interface OwnFiles {
  resume: string;
  site: string;
}

type Json = Record<string, unknown>;

function readObject(path: string, text: string): Json {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new AppError("validation_failed", `${path} is no JSON object. Repair that in the console.`);
}

const write = (value: Json) => `${JSON.stringify(value, null, 2)}\n`;

const words = (value: unknown) => (typeof value === "string" ? value.trim() : "");

/** Where somebody is, as people write it: the city and the country in the site's language. */
function placeOf(resume: Resume, language: string): string {
  const location = (resume.basics["location"] ?? {}) as Json;
  const code = words(location["countryCode"]).toUpperCase();
  let country = "";
  try {
    if (code !== "") country = new Intl.DisplayNames([language], { type: "region" }).of(code) ?? "";
  } catch {
    // No code of a country, or no language: the city says enough.
  }
  return [words(location["city"]), country].filter(Boolean).join(", ");
}

/** What of the site's own words a résumé knows. */
function siteWords(resume: Resume, language: string): Record<string, string> {
  const { name, label, email } = resume.basics;
  return {
    name: words(name),
    role: words(label),
    place: placeOf(resume, language),
    email: words(email),
  };
}

function describe(resume: Resume): string {
  const { name, label } = resume.basics;
  const who = [words(name), words(label)].filter(Boolean).join(", ");
  return `Résumé of ${who}: experience, projects, skills, education.`;
}

export interface OwnChange {
  /** The texts of the files that change, by path. */
  files: Record<string, string>;
  /** What changes in site.json. */
  site: string[];
  /** Whether the résumé is another one. */
  isNew: boolean;
  /** Whether the one that is there was written for this site, and is no sample. */
  isOwn: boolean;
}

/**
 * What bringing in a résumé changes: the résumé as a whole, and of the site's own words those that
 * are still the `sample`'s. Throws `malformed_json`, `validation_failed` for files that are broken.
 */
export function bringResume(own: OwnFiles, sample: OwnFiles, resume: Resume): OwnChange {
  const page = readObject(resumeFile, own.resume);
  const samplePage = readObject(resumeFile, sample.resume);
  const site = readObject(siteFile, own.site);
  const sampleSite = readObject(siteFile, sample.site);
  const isNew = !isDeepStrictEqual(page["resume"], resume);
  const isOwn = !isDeepStrictEqual(page["resume"], samplePage["resume"]);
  const files: Record<string, string> = {};
  if (isNew) {
    const isSampleText =
      page["description"] === samplePage["description"] && words(resume.basics["name"]) !== "";
    const description = isSampleText ? { description: describe(resume) } : {};
    files[resumeFile] = write({ ...page, ...description, resume });
  }
  const said = Object.entries(siteWords(resume, words(site["language"]) || "en"));
  const changed = said.filter(
    ([name, text]) => text !== "" && site[name] === sampleSite[name] && site[name] !== text,
  );
  if (changed.length > 0) files[siteFile] = write({ ...site, ...Object.fromEntries(changed) });
  return { files, site: changed.map(([name]) => name), isNew, isOwn };
}

/** The résumé that a site has, as a JSON Resume for others. */
export function giveResume(own: string): Json {
  const resume = (readObject(resumeFile, own)["resume"] ?? {}) as Json;
  const schema = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json";
  return { $schema: schema, ...resume };
}
