import type { StudyFile } from "../folder/studies.ts";
import { plainName } from "./field-names.ts";
import type { FrontMatter } from "./front-matter.ts";
import { asTexts, isInvalid } from "./values.ts";

const studyWords =
  /^(?:projects?|portfolio(?:[ _-]?items?)?|works?|case[ _-]?stud(?:y|ies)|showcase)$/i;
const typeNames = new Set([
  "layout",
  "type",
  "template",
  "templatekey",
  "collection",
  "section",
  "posttype",
]);

/** Whether the front matter says of an entry of some collection that it is a project. */
export function isCalledStudy(values: ReadonlyMap<string, unknown>): boolean {
  return [...values].some(([name, value]) => {
    const isType = typeNames.has(plainName(name));
    if (!isType && !/^(?:categor(?:y|ies)|tags?)$/i.test(name)) return false;
    const words = asTexts(value);
    if (isInvalid(words)) return false;
    return words.value.some((word) =>
      studyWords.test(word.replace(/^.*\//, "").replace(/\.\w+$/, "")),
    );
  });
}

/** What themes and people put there to be copied. */
const sampleNames =
  /^(?:sample|example|demo|dummy|placeholder|test|new)[-_ ]?(?:project|work|case(?:[-_ ]?study)?|portfolio|item|post)?(?:[-_ ]?\d+)?$/i;

/** Why an entry may be no study, now that its front matter is known. */
export function doubtOf(file: StudyFile, { values }: FrontMatter, text: string): string | null {
  if (values.has("pagination")) return "its generator uses it to make pages from data";
  if (sampleNames.test(file.stem)) return "it is named like a sample";
  const isList = /(?:^|\/)_index\.[^/]+$/.test(file.path);
  if (isList && text.trim() === "") return "it is a folder’s index page and has no text";
  if (file.isEntry && isCalledStudy(values)) return null;
  const isTemplate = !/\.(?:md|markdown|mdown|mkd|mdx)$/i.test(file.path);
  if (isTemplate && values.size === 0) return "it has no front matter";
  const isEmpty = text.trim() === "" && values.size === 0;
  return file.doubt ?? (isEmpty ? "it has no text" : null);
}
