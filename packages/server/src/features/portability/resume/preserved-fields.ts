import { foldName } from "../../release/snapshot.ts";
import type { Problem } from "../problem.ts";
import type { Json } from "./page-texts.ts";
import type { Resume } from "./json-resume.ts";

/**
 * The parts that stay in the résumé only, or that the site replaces with its own data, by JSON
 * pointer.
 */
const preservedFields: Readonly<Record<string, string>> = {
  "/basics/phone": "is kept but not shown on any page, because visitors can use the email address",
  "/basics/location/address": "is kept but not shown on any page",
  "/basics/location/postalCode": "is kept but not shown on any page",
  "/basics/url": "is replaced with this site's address in the PDF and in /resume.json",
  "/meta": "is replaced with this site's own data in /resume.json",
};

function valueAt(resume: Resume, pointer: string): unknown {
  return pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], resume);
}

const plain = (name: unknown) => (typeof name === "string" ? foldName(name) : "");
const entriesOf = (part: unknown) => (Array.isArray(part) ? (part as Json[]) : []);

/** The names of the site's projects: public ones, and the others. */
export interface ProjectNames {
  visible: readonly string[];
  hidden: readonly string[];
}

/** The projects of a résumé that aren't on the site, and those that are hidden there. */
function apart(resume: Resume, names: ProjectNames): { other: string[]; hidden: string[] } {
  const visible = new Set(names.visible.map(plain));
  const unseen = new Set(names.hidden.map(plain));
  const rest = entriesOf(resume["projects"]).filter(({ name }) => !visible.has(plain(name)));
  const [hidden, other] = [true, false].map((isHidden) =>
    rest
      .filter(({ name }) => unseen.has(plain(name)) === isHidden)
      .map(({ name }) =>
        typeof name === "string" && name !== "" ? name : "an entry without a name",
      ),
  );
  return { other: other ?? [], hidden: hidden ?? [] };
}

/**
 * The parts of a location that the résumé page doesn't show because it shows a more precise one.
 */
function broaderLocations(resume: Resume): string[] {
  const parts = ["city", "region", "countryCode"].map((part) => `/basics/location/${part}`);
  const named = parts.filter((pointer) => valueAt(resume, pointer));
  return named.slice(1);
}

/**
 * Reports the parts of a résumé that the site shows differently than expected, or not at all.
 * `names` has the names of the projects after the import.
 */
export function diagnosePreservedFields(
  file: string,
  resume: Resume,
  names: ProjectNames,
): Problem[] {
  const note = (field: string, message: string): Problem => {
    return { level: "note", file, line: null, field, message };
  };
  const preserved = Object.entries(preservedFields).filter(([pointer]) => {
    const value = valueAt(resume, pointer);
    return value !== undefined && value !== "";
  });
  const { other, hidden } = apart(resume, names);
  const what = other.length === 1 ? "isn't a case study" : "aren't case studies";
  const listed = `${other.join(", ")} ${what} here, so the résumé lists them last, without a page`;
  const whose = hidden.length === 1 ? "is a case study" : "are case studies";
  const unnamed = `${hidden.join(", ")} ${whose} that not everyone can see, so the résumé doesn’t mention it`;
  const farther = "is in /resume.json; the résumé shows only the nearest place";
  const dates = entriesOf(resume["certificates"]).flatMap(({ date }, index) => {
    if (typeof date !== "string" || date.length === 10) return [];
    const message = `${date} isn't a full date, which JSON Resume 1.0.0 requires here, so it's left out of /resume.json`;
    return [note(`/certificates/${index}/date`, message)];
  });
  return [
    ...(other.length > 0 ? [note("/projects", listed)] : []),
    ...(hidden.length > 0 ? [note("/projects", unnamed)] : []),
    ...broaderLocations(resume).map((pointer) => note(pointer, farther)),
    ...preserved.map(([pointer, message]) => note(pointer, message)),
    ...dates,
  ];
}
