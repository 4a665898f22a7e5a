import type { Problem } from "../problem.ts";
import type { Json } from "./known-words.ts";
import type { Resume } from "./json-resume.ts";

/** What stays where the owner wrote it, or gives way to the site's own, by JSON pointer. */
const keptParts: Readonly<Record<string, string>> = {
  "/basics/phone": "is kept, and on no page: whoever wants to talk has the e-mail address",
  "/basics/location/address": "is kept, and on no page",
  "/basics/location/postalCode": "is kept, and on no page",
  "/basics/url": "gives way to the address of this site in the PDF and in /resume.json",
  "/meta": "gives way to that of this site in /resume.json",
};

function valueAt(resume: Resume, pointer: string): unknown {
  return pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], resume);
}

const plain = (name: unknown) => (typeof name === "string" ? name.trim().toLowerCase() : "");
const entriesOf = (part: unknown) => (Array.isArray(part) ? (part as Json[]) : []);

/** The projects of a résumé that have no page: no public one is called so. */
function projectsWithoutPage(resume: Resume, publicNames: readonly string[]): string[] {
  const known = new Set(publicNames.map(plain));
  return entriesOf(resume["projects"])
    .filter(({ name }) => !known.has(plain(name)))
    .map(({ name }) => (typeof name === "string" && name !== "" ? name : "one without a name"));
}

/**
 * Tells what of a résumé the site shows otherwise than one might think, or not at all. `publicNames`
 * are those of the projects that everybody sees when it is in.
 */
export function tellKept(file: string, resume: Resume, publicNames: readonly string[]): Problem[] {
  const note = (field: string, message: string): Problem => {
    return { level: "note", file, line: null, field, message };
  };
  const kept = Object.entries(keptParts).filter(([pointer]) => {
    const value = valueAt(resume, pointer);
    return value !== undefined && value !== "";
  });
  const names = projectsWithoutPage(resume, publicNames);
  const what = names.length === 1 ? "is no case study" : "are no case studies";
  const listed = `${names.join(", ")} ${what} here: named in the résumé after those that are, without a page`;
  const dates = entriesOf(resume["certificates"]).flatMap(({ date }, index) => {
    if (typeof date !== "string" || date.length === 10) return [];
    const message = `${date} is no whole day, as JSON Resume 1.0.0 wants it here: left out of /resume.json`;
    return [note(`/certificates/${index}/date`, message)];
  });
  return [
    ...(names.length > 0 ? [note("/projects", listed)] : []),
    ...kept.map(([pointer, message]) => note(pointer, message)),
    ...dates,
  ];
}
