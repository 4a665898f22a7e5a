import { AppError } from "../../../kit/errors.ts";
import { jsonDepth, parseInputJson } from "../../../kit/json.ts";
import { cleanText } from "../../../kit/text.ts";
import { readText } from "../folder/text-file.ts";
import { isOngoing } from "../ongoing.ts";
import type { Problem } from "../problem.ts";

/** A JSON Resume as it is stored: known parts in the schema's form, unknown ones unchanged. */
export type Resume = Record<string, unknown> & { basics: Record<string, unknown> };

type Leaf = "text" | "date" | "url" | "email";
type Shape = Leaf | [Shape] | { [name: string]: Shape };

const entry = { summary: "text", url: "url", startDate: "date", endDate: "date" } as const;

/** JSON Resume 1.0.0 (https://jsonresume.org/schema); 1.2 has no other names. */
const shape: { [name: string]: Shape } = {
  $schema: "text",
  basics: {
    name: "text",
    label: "text",
    image: "text",
    email: "email",
    phone: "text",
    url: "url",
    summary: "text",
    location: {
      address: "text",
      postalCode: "text",
      city: "text",
      countryCode: "text",
      region: "text",
    },
    profiles: [{ network: "text", username: "text", url: "url" }],
  },
  work: [
    {
      ...entry,
      name: "text",
      location: "text",
      description: "text",
      position: "text",
      highlights: ["text"],
    },
  ],
  volunteer: [{ ...entry, organization: "text", position: "text", highlights: ["text"] }],
  education: [
    {
      institution: "text",
      url: "url",
      area: "text",
      studyType: "text",
      startDate: "date",
      endDate: "date",
      score: "text",
      courses: ["text"],
    },
  ],
  awards: [{ title: "text", date: "date", awarder: "text", summary: "text" }],
  certificates: [{ name: "text", date: "date", url: "url", issuer: "text" }],
  publications: [
    { name: "text", publisher: "text", releaseDate: "date", url: "url", summary: "text" },
  ],
  skills: [{ name: "text", level: "text", keywords: ["text"] }],
  languages: [{ language: "text", fluency: "text" }],
  interests: [{ name: "text", keywords: ["text"] }],
  references: [{ name: "text", reference: "text" }],
  projects: [
    {
      name: "text",
      description: "text",
      highlights: ["text"],
      keywords: ["text"],
      startDate: "date",
      endDate: "date",
      url: "url",
      roles: ["text"],
      entity: "text",
      type: "text",
    },
  ],
  meta: { canonical: "url", version: "text", lastModified: "text" },
};

/** The schema's names from before 1.0, by the part that contains them. */
const formerNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  basics: { picture: "image", website: "url" },
  work: { company: "name", website: "url" },
  volunteer: { website: "url" },
  education: { gpa: "score" },
  publications: { website: "url" },
};

const maxBytes = 1024 * 1024;
const maxDepth = 40;
const maxTextLength = 20_000;

const dateForm = /^([1-2]\d{3})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[1-2]\d|3[0-1]))?)?$/;
/** The value, cut to one line. */
const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
const emailForm = /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+$/;

/** A JSON pointer (RFC 6901). */
const pointer = (path: readonly (string | number)[]) =>
  path.map((part) => `/${String(part).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");

type Path = readonly (string | number)[];
type Report = (path: Path, message: string, level?: Problem["level"]) => void;

const absent = Symbol("absent");

function readDate(text: string, path: Path, report: Report): string | typeof absent {
  if (isOngoing(text)) {
    report(path, `${JSON.stringify(text)} is left out because it's incomplete`, "note");
    return absent;
  }
  const day = /^(\d{4}-\d{2}-\d{2})[T ]/.exec(text)?.[1];
  if (day !== undefined && dateForm.test(day)) {
    report(path, `is a time, so only ${day} is kept`, "note");
    return day;
  }
  const isDay = text.length < 10 || !Number.isNaN(Date.parse(text));
  const isReal =
    text.length < 10 || new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8));
  if (dateForm.test(text) && isDay && isReal) return text;
  report(path, `${quoted(text)} isn't a date such as 2026, 2026-05 or 2026-05-04`);
  return absent;
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function readLeaf(value: unknown, leaf: Leaf, path: Path, report: Report): unknown {
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  if (!isScalar) {
    report(path, "must be text");
    return absent;
  }
  if (typeof value !== "string") report(path, "isn't text in quotes, so it's kept as text", "note");
  const text = cleanText(String(value), { multiline: true });
  if (text.length > maxTextLength) report(path, `must be at most ${maxTextLength} characters`);
  if (text === "" && leaf !== "text") return absent;
  if (leaf === "date") return readDate(text, path, report);
  if (leaf === "email" && !emailForm.test(text))
    report(path, `${quoted(text)} isn't an email address`);
  if (leaf === "url" && !isAddress(text)) {
    if (isAddress(`https://${text}`) && /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(text)) {
      report(path, `has no https://, so it's kept as https://${text}`, "note");
      return `https://${text}`;
    }
    report(path, `${quoted(text)} isn't an address that begins with https:// or http://`);
  }
  return text;
}

function readMap(value: object, inner: { [name: string]: Shape }, path: Path, report: Report) {
  const part = String(path.findLast((each) => typeof each === "string") ?? "");
  const former = formerNames[part] ?? {};
  const entries: [string, unknown][] = [];
  for (const [input, of] of Object.entries(value)) {
    const now = Object.hasOwn(former, input) ? former[input] : undefined;
    const name = now !== undefined && !Object.hasOwn(value, now) ? now : input;
    if (name !== input) report([...path, input], `is called ${name} since version 1.0`, "note");
    if (!Object.hasOwn(inner, name)) {
      report([...path, input], "isn't in the JSON Resume schema, so it's kept as it is", "note");
      entries.push([name, of]);
      continue;
    }
    const read = readPart(of, inner[name] as Shape, [...path, name], report);
    if (read !== absent) entries.push([name, read]);
  }
  // Not by assignment: a part may be called __proto__.
  return Object.fromEntries(entries);
}

function readPart(value: unknown, wanted: Shape, path: Path, report: Report): unknown {
  if (value === null) return absent;
  if (typeof wanted === "string") return readLeaf(value, wanted, path, report);
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value)) {
      report(path, "must be a list");
      return absent;
    }
    const items = value.map((item, index) => readPart(item, wanted[0], [...path, index], report));
    return items.filter((item) => item !== absent);
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    report(path, "must be an object");
    return absent;
  }
  return readMap(value, wanted, path, report);
}

function lineOfFault(text: string, error: unknown): number | null {
  const at = /position (\d+)/.exec(String(error))?.[1];
  return at === undefined ? null : text.slice(0, Number(at)).split("\n").length;
}

/**
 * Reads a JSON Resume (1.0, 1.2, and common forms of older versions). Every part may be missing;
 * unknown ones are kept and reported. If anything is invalid, its place is reported as a JSON
 * pointer, and there is no résumé.
 */
export function readResume(
  file: string,
  bytes: Uint8Array,
): { resume: Resume | null; problems: Problem[] } {
  const problems: Problem[] = [];
  const report = (field: string | null, message: string, more: Partial<Problem> = {}) => {
    problems.push({ level: "error", file, line: null, field, message, ...more });
    return { resume: null, problems };
  };
  if (bytes.length > maxBytes) return report(null, "is larger than 1 MiB");
  const read = readText(bytes);
  if ("fault" in read) return report(null, read.fault);
  let parsed: unknown;
  try {
    if (jsonDepth(read.text) > maxDepth) return report(null, "is nested too deeply");
    parsed = parseInputJson(read.text);
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : undefined;
    if (cause === undefined) return report(null, "has the same key twice in an object");
    return report(null, "isn't JSON", { line: lineOfFault(read.text, cause) });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return report("", "isn't a JSON Resume: it must be an object");
  }
  if (!Object.keys(parsed).some((name) => name !== "$schema" && name in shape)) {
    return report("", "isn't a JSON Resume: it has none of the expected parts");
  }
  const at: Report = (path, message, level = "error") =>
    void report(pointer(path), message, { level });
  const { $schema: _, ...parts } = readMap(parsed, shape, [], at) as Record<string, unknown>;
  const resume = { ...parts, basics: (parts["basics"] ?? {}) as Record<string, unknown> };
  if (!resume.basics["name"]) report("/basics/name", "is missing", { level: "warning" });
  const isWhole = problems.every(({ level }) => level !== "error");
  return { resume: isWhole ? resume : null, problems };
}
