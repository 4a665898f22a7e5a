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

/** A project as a file of data has it. */
export interface DataEntry {
  /** Tells it from the others of its file; the slug where it says none. */
  key: string;
  values: Map<string, unknown>;
  /** Where its name stands, from 1. */
  line: number;
  /** Whether its list may be one of something else. */
  isUnsure: boolean;
}

/** More projects than any list has. */
const maxEntries = 500;
const maxDepth = 100;
const maxAliases = 50;

type Values = Record<string, unknown>;

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a file holds; undefined where it can't be read. Nothing in it is run. */
function parseData(path: string, text: string): unknown {
  if (/\.(?:[cm]?[jt]s|[jt]sx)$/i.test(path)) return Object.fromEntries(readModuleValues(text));
  if (jsonDepth(text) > maxDepth) return undefined;
  try {
    if (/\.json$/i.test(path)) return parseJson(text);
    if (/\.toml$/i.test(path)) return parseToml(text);
    const document = parseDocument(text, { prettyErrors: false, merge: false, uniqueKeys: false });
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: maxAliases });
  } catch {
    // Not what its name says: other files may hold projects.
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

/** Whether a value has a name and says something of itself, as no entry of a menu does. */
function isProject(value: unknown): value is Values {
  if (!isMap(value) || titleOf(value) === null) return false;
  return Object.entries(value).some(
    ([name, each]) =>
      !titles.has(plainName(name)) &&
      (describing.has(plainName(name)) || (typeof each === "string" && isImageName(each))),
  );
}

/** The projects of a list, or of a map from their names; null for what is neither. */
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

/** The list of projects in what a file holds. */
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
  // The only list of a file that is called so, whatever its name.
  const lists = isNamed ? entries.flatMap(([, each]) => projectsIn(each) ?? []) : [];
  return lists;
}

const isDescribed = (entry: Values) =>
  Object.keys(entry).some((name) => descriptions.has(plainName(name)));

/** The one list that a file is, or holds under one name. */
function onlyList(value: unknown): Values[] | null {
  const [inner, more] = isMap(value) ? Object.values(value) : [value];
  const isOne = more === undefined && Array.isArray(inner);
  return isOne ? (projectsIn(inner)?.filter(isDescribed) ?? null) : null;
}

function lineOf(text: string, title: string): number {
  const at = text.indexOf(title.slice(0, 40));
  return at < 0 ? 1 : text.slice(0, at).split("\n").length;
}

/** The projects in a file of data, in their order. None for a file that holds none, or is broken. */
export function readDataEntries({ path, kind }: DataFile, text: string): DataEntry[] {
  const value = parseData(path, text);
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
  const named =
    kind === "entry" && isProject(value) ? [value] : findProjects(value, kind !== "other");
  // A list without a name that tells: of shows, of films, of what its owner makes.
  const isUnsure = named.length === 0 && !isOtherName(name);
  const found = isUnsure ? (onlyList(value) ?? []) : named;
  const keys = new Map<string, number>();
  return found.slice(0, maxEntries).map((entry) => {
    const title = titleOf(entry) ?? "";
    const given = entry["slug"];
    const own = kind === "entry" && found.length === 1 && !/^index$/i.test(name) ? name : null;
    const base = typeof given === "string" && given.trim() !== "" ? given : (own ?? title);
    const slug = slugOf(base.replace(/\/+$/, "").replace(/^.*\//, ""));
    const count = (keys.get(slug) ?? 0) + 1;
    keys.set(slug, count);
    const key = count === 1 ? slug : `${slug}-${count}`;
    return { key, values: new Map(Object.entries(entry)), line: lineOf(text, title), isUnsure };
  });
}
