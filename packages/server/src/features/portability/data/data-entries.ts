import { parse as parseToml } from "smol-toml";
import { parseDocument } from "yaml";
import { jsonDepth, parseJson } from "../../../kit/json.ts";
import { slugOf } from "../../projects/slug.ts";
import { isOtherName, isStudyName, plain } from "../folder/file-roles.ts";
import type { DataFile } from "../folder/data-files.ts";
import { isImageName } from "../folder/media-names.ts";
import { languageOf } from "../folder/languages.ts";
import { fieldNames, plainName } from "../study/field-names.ts";
import { readModuleValues } from "./js-literal.ts";

/** A project in a data file. */
export interface DataEntry {
  /** Identifies it within its file; also its slug if it has none. */
  key: string;
  values: Map<string, unknown>;
  /** The line of its name, from 1. */
  line: number;
  /** Whether its list may contain something other than projects. */
  isUnsure: boolean;
}

/** Far above any real list. */
const maxEntries = 500;
const maxDepth = 100;
const maxAliases = 50;

type Values = Record<string, unknown>;

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A file's data; undefined if it can't be read. Nothing in it is executed. */
function parseData(path: string, text: string): unknown {
  if (/\.(?:[cm]?[jt]s|[jt]sx)$/i.test(path)) return Object.fromEntries(readModuleValues(text));
  if (jsonDepth(text) > maxDepth) return undefined;
  try {
    if (/\.json$/i.test(path)) return parseJson(text);
    if (/\.toml$/i.test(path)) return parseToml(text);
    const document = parseDocument(text, { prettyErrors: false, merge: false, uniqueKeys: false });
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: maxAliases });
  } catch {
    // Its content doesn't match its name; other files may contain projects.
    return undefined;
  }
}

const namesOf = (...fields: (keyof typeof fieldNames)[]) =>
  new Set(fields.flatMap((field) => fieldNames[field]).map(plainName));
const titles = namesOf("name");
const descriptions = namesOf("summary", "lede");
const describing = namesOf("summary", "cover", "gallery", "stack", "lede");

function titleOf(entry: Values): string | null {
  for (const name of fieldNames.name) {
    const found = Object.entries(entry).find(([key]) => plainName(key) === plainName(name));
    if (typeof found?.[1] === "string" && found[1].trim() !== "") return found[1].trim();
  }
  return null;
}

/** Whether a value has a name and a description, unlike the entries of a menu. */
function isProject(value: unknown): value is Values {
  if (!isMap(value) || titleOf(value) === null) return false;
  return Object.entries(value).some(
    ([name, each]) =>
      !titles.has(plainName(name)) &&
      (describing.has(plainName(name)) || (typeof each === "string" && isImageName(each))),
  );
}

/** The projects of a list or of a map by name; null for anything else. */
function projectsIn(value: unknown): Values[] | null {
  const items = Array.isArray(value)
    ? value
    : isMap(value)
      ? Object.entries(value).map(([key, each]) =>
          isMap(each) ? Object.assign({ slug: key }, each) : each,
        )
      : [];
  const projects = items.filter(isProject);
  return projects.length > 0 && projects.length * 2 > items.length ? projects : null;
}

/** Whether a file that is directly in a folder of projects is one, even without a description. */
function isOwnFile(path: string, value: unknown): value is Values {
  const isDirect = isStudyName(path.split("/").at(-2) ?? "");
  const isNamed = isMap(value) && titleOf(value) !== null && Object.keys(value).length > 1;
  return isDirect && isNamed && findProjects(value, true).length === 0;
}

/** The list of projects in a file's data. */
function findProjects(value: unknown, isNamed: boolean, depth = 0): Values[] {
  if (isNamed) {
    const projects = projectsIn(value);
    if (projects !== null) return projects;
  }
  if (!isMap(value) || depth > 3) return [];
  const entries = Object.entries(value);
  const localized = entries.filter(([key]) => languageOf(key) !== null);
  if (localized.length > 0 && localized.length === entries.length) {
    const [, own] = localized.find(([key]) => languageOf(key) === "en") ?? localized[0] ?? [];
    return findProjects(own, isNamed, depth + 1);
  }
  const isListName = (key: string) =>
    isStudyName(key.replace(/(?:Data|List|Items|_data|_list)$/, "")) ||
    (isNamed && /^(?:default|items|list|data|all|entries)$/i.test(plain(key)));
  for (const [key, inner] of entries.toSorted(([a], [b]) => +isListName(b) - +isListName(a))) {
    const found = findProjects(inner, isListName(key), depth + 1);
    if (found.length > 0) return found;
  }
  // The only list in a file, whatever its name.
  const lists = isNamed ? entries.flatMap(([, each]) => projectsIn(each) ?? []) : [];
  return lists;
}

const isDescribed = (entry: Values) =>
  Object.keys(entry).some((name) => descriptions.has(plainName(name)));

/** The list that a file consists of, or contains under a single name. */
function onlyList(value: unknown): Values[] | null {
  const [inner, more] = isMap(value) ? Object.values(value) : [value];
  const isOne = more === undefined && Array.isArray(inner);
  return isOne ? (projectsIn(inner)?.filter(isDescribed) ?? null) : null;
}

function lineOf(text: string, title: string): number {
  const at = text.indexOf(title.slice(0, 40));
  return at < 0 ? 1 : text.slice(0, at).split("\n").length;
}

/** The projects in a data file, in order; empty for a file that has none or is invalid. */
export function readDataEntries({ path, kind }: DataFile, text: string): DataEntry[] {
  const value = parseData(path, text);
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
  const named =
    kind === "entry" && (isProject(value) || isOwnFile(path, value))
      ? [value]
      : findProjects(value, kind !== "other");
  // A list with an unclear name, such as shows or films.
  const isUnsure = named.length === 0 && !isOtherName(name);
  const found = isUnsure ? (onlyList(value) ?? []) : named;
  const keys = new Map<string, number>();
  return found.slice(0, maxEntries).map((entry) => {
    const title = titleOf(entry) ?? "";
    const given = entry["slug"];
    const isFile = kind === "entry" && found.length === 1 && !/^index$/i.test(name);
    // A number in front of the name is for sorting.
    const own = isFile ? name.replace(/^\d{1,3}[-_.]\s*(?=\D)/, "") : null;
    const base = typeof given === "string" && given.trim() !== "" ? given : (own ?? title);
    const slug = slugOf(base.replace(/\/+$/, "").replace(/^.*\//, ""));
    const count = (keys.get(slug) ?? 0) + 1;
    keys.set(slug, count);
    const key = count === 1 ? slug : `${slug}-${count}`;
    return { key, values: new Map(Object.entries(entry)), line: lineOf(text, title), isUnsure };
  });
}
