import { isoTime } from "../../../kit/time.ts";
import { isMediaName } from "../folder/media-names.ts";
import { decodeEntities } from "./markup/markup-context.ts";

/** A value in the form that a field wants, or what it has to be instead. */
export type ParsedValue<T> = { value: T } | { expected: string; at?: (string | number)[] };

export const isInvalid = <T>(
  reading: ParsedValue<T>,
): reading is { expected: string; at?: (string | number)[] } => "expected" in reading;

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text out of a text, a number or a boolean; nothing is empty. */
export function asText(value: unknown): ParsedValue<string> {
  if (value === null || value === undefined) return { value: "" };
  if (typeof value === "string") return { value };
  if (typeof value === "number" || typeof value === "boolean") return { value: String(value) };
  if (Array.isArray(value)) {
    const list = asTexts(value);
    return isInvalid(list) ? { expected: "must be text" } : { value: list.value.join(", ") };
  }
  return { expected: "must be text" };
}

/** Texts out of a list, or of a line with commas between them. */
export function asTexts(value: unknown): ParsedValue<string[]> {
  if (value === null || value === undefined) return { value: [] };
  if (typeof value === "string") {
    const parts = value.split(",").map((part) => part.trim());
    return { value: parts.filter((part) => part !== "") };
  }
  // Groups of words, such as {frontend: [React]}.
  if (isMap(value)) return asTexts(Object.values(value).flat());
  if (!Array.isArray(value)) return { expected: "must be a list" };
  const texts: string[] = [];
  for (const [index, item] of value.entries()) {
    const words = wordsOf(item);
    if (words === null) return { expected: "must be text", at: [index] };
    texts.push(...words);
  }
  return { value: texts };
}

/** The words of an item of a list: itself, or the name that it has, or those that it holds. */
function wordsOf(item: unknown, depth = 0): string[] | null {
  if (typeof item === "string" || typeof item === "number" || typeof item === "boolean") {
    return [String(item)];
  }
  if (!isMap(item) || depth > 2) return null;
  const inner = item["children"] ?? item["items"];
  if (Array.isArray(inner)) {
    const words = inner.map((each) => wordsOf(each, depth + 1));
    return words.every((each) => each !== null) ? words.flat() : null;
  }
  const name = item["name"] ?? item["title"] ?? item["label"] ?? item["text"];
  return typeof name === "string" ? [name] : null;
}

/** Prose out of a text with or without markup, or of a list of its paragraphs. */
export function asProse(value: unknown): ParsedValue<string> {
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = isList ? { value: value.join(" ") } : asText(value);
  if (isInvalid(text) || !/<\/?[a-z][^<>]{0,200}>/i.test(text.value)) return text;
  const plain = text.value.replace(/<\/(?:li|p|div|h\d)>|<br\s*\/?>/gi, " ");
  const words = plain.replace(/<\/?[a-z][^<>]{0,500}>/gi, "").replace(/\s+/g, " ");
  return { value: decodeEntities(words).trim() };
}

/** Marks of Markdown around words; each run is short and holds no mark of its own kind. */
const emphasis = [
  /(?<![\w*])\*\*(?=[^\s*])([^*\n]{1,300})(?<!\s)\*\*(?![\w*])/g,
  /(?<![\w_])__(?=[^\s_])([^_\n]{1,300})(?<!\s)__(?!\w|\.\w)/g,
  /(?<![\w*])\*(?=[^\s*])([^*\n]{1,300})(?<!\s)\*(?![\w*])/g,
  /(?<![\w_])_(?=[^\s_])([^_\n]{1,300})(?<!\s)_(?![\w_])/g,
  /(?<!`)`([^`\n]{1,300})`(?!`)/g,
];

/** Prose for a place that shows neither HTML nor Markdown: of a link, its words stay. */
export function asPlainProse(value: unknown): ParsedValue<string> {
  const prose = asProse(value);
  if (isInvalid(prose) || !/[*_`\]]/.test(prose.value)) return prose;
  let text = prose.value
    .replace(/!\[[^[\]\n]{0,300}\](?:\([^()\n]{0,500}\)|\[[^[\]\n]{0,100}\])/g, "")
    .replace(/\[([^[\]\n]{1,300})\]\([^()\n]{0,500}\)/g, "$1");
  for (const pattern of emphasis) text = text.replace(pattern, "$1");
  return { value: text === prose.value ? text : text.replace(/ {2,}/g, " ").trim() };
}

/** Yes or no. */
export function asBoolean(value: unknown): ParsedValue<boolean> {
  if (typeof value === "boolean") return { value };
  if (value === "true" || value === "yes") return { value: true };
  if (value === "false" || value === "no") return { value: false };
  return { expected: "must be true or false" };
}

/** A place among others: a whole number, also below zero. */
export function asOrder(value: unknown): ParsedValue<number> {
  const number = typeof value === "string" ? Number(value.trim() || Number.NaN) : value;
  if (typeof number === "number" && Number.isFinite(number)) return { value: number };
  return { expected: "must be a number" };
}

/** The year of a date, and the date so that dates sort; YAML's dates are texts here. */
export function asDate(value: unknown): ParsedValue<{ year: string; sorted: string }> {
  const text = typeof value === "number" ? String(value) : value;
  const invalid = { expected: "must be a date such as 2026-05-04" };
  if (typeof text !== "string") return invalid;
  const year = /(?<!\d)([12]\d{3})(?!\d)/.exec(text)?.[1];
  if (year === undefined) return invalid;
  const sorted = text.trim();
  if (sorted.startsWith(year)) return { value: { year, sorted } };
  // In words, or with the year last: May 4, 2026.
  const ms = /[a-z]{3}/i.test(sorted) ? Date.parse(`${sorted} UTC`) : Number.NaN;
  return { value: { year, sorted: Number.isNaN(ms) ? year : isoTime(ms).slice(0, 10) } };
}

/** A moment as ISO 8601 UTC, out of a day or a time. */
export function asTime(value: unknown): ParsedValue<string> {
  const text = typeof value === "string" ? value.trim() : "";
  const ms = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms)
    ? { expected: "must be a day or a time such as 2026-05-04" }
    : { value: isoTime(ms) };
}

/** The last part of an address, which is what others call a slug; null where it holds a pattern. */
export function slugOfAddress(address: string): string | null {
  if (/[:{*]/.test(address)) return null;
  const parts = address.replace(/[?#].*$/, "").split("/");
  const last = parts.findLast((part) => part !== "" && !/^index\.html?$/.test(part));
  return last?.replace(/\.html?$/, "") ?? null;
}

interface Skill {
  group: string;
  items: string[];
}

/** Groups of skills: a list of {group, items}, a map from group to items, or a list of words. */
export function asSkills(value: unknown): ParsedValue<Skill[]> {
  if (value === null || value === undefined) return { value: [] };
  if (isMap(value)) return skillsFrom(Object.entries(value));
  if (!Array.isArray(value)) {
    const words = asTexts(value);
    return isInvalid(words) ? words : { value: [{ group: "Skills", items: words.value }] };
  }
  if (value.every((item) => typeof item === "string")) {
    return { value: value.length === 0 ? [] : [{ group: "Skills", items: value }] };
  }
  const pairs: [string, unknown][] = [];
  for (const [index, item] of value.entries()) {
    const group = isMap(item) ? (item["group"] ?? item["name"]) : undefined;
    if (!isMap(item) || typeof group !== "string") {
      return { expected: "must be a group with its items", at: [index] };
    }
    pairs.push([group, item["items"] ?? item["keywords"] ?? []]);
  }
  return skillsFrom(pairs);
}

function skillsFrom(pairs: [string, unknown][]): ParsedValue<Skill[]> {
  const skills: Skill[] = [];
  for (const [group, input] of pairs) {
    const items = asTexts(input);
    if (isInvalid(items)) return { expected: `the items of ${group} must be a list` };
    skills.push({ group, items: items.value });
  }
  return { value: skills };
}

interface Metric {
  value: string;
  label: string;
  note?: string;
}

/** Figures: a list of {value, label, note?}, or a map from label to value. */
export function asMetrics(value: unknown): ParsedValue<Metric[]> {
  if (value === null || value === undefined) return { value: [] };
  const list = isMap(value)
    ? Object.entries(value).map(([label, figure]) => ({ label, value: figure }))
    : value;
  if (!Array.isArray(list)) return { expected: "must be a list of value and label" };
  const metrics: Metric[] = [];
  for (const [index, item] of list.entries()) {
    if (!isMap(item)) return { expected: "must have a value and a label", at: [index] };
    const figure = asText(item["value"] ?? item["number"] ?? item["figure"]);
    const label = asText(item["label"] ?? item["name"] ?? item["title"]);
    const note = asText(item["note"] ?? item["description"] ?? item["text"]);
    if (isInvalid(figure) || isInvalid(label) || isInvalid(note)) {
      return { expected: "must have a value and a label", at: [index] };
    }
    const noteField = item["note"] !== undefined || note.value !== "" ? { note: note.value } : {};
    metrics.push({ value: figure.value, label: label.value, ...noteField });
  }
  return { value: metrics };
}

/** An image as front matter names it. */
export interface NamedImage {
  address: string;
  /** Not said is undefined; said to be decoration is empty. */
  alt: string | undefined;
  caption: string;
}

/** Media in a line such as "Screens, desktop.png, phone.png". */
function mediaInLine(line: string): string[] {
  const parts = line.split(",").map((part) => part.trim());
  return parts.length < 2 ? [] : parts.filter((part) => isMediaName(part.replace(/[?#].*$/, "")));
}

const addressKeys = ["src", "image", "url", "path", "file", "relative_path", "href", "feature"];
const depthOfImages = 4;

/** The addresses of images and videos anywhere in a value, with their alt texts where these are beside. */
export function imagesInside(value: unknown, depth = 0): NamedImage[] {
  if (typeof value === "string") {
    const isMedia = isMediaName(value.trim().replace(/[?#].*$/, ""));
    return isMedia ? [{ address: value.trim(), alt: undefined, caption: "" }] : [];
  }
  if (typeof value !== "object" || value === null || depth >= depthOfImages) return [];
  if (!isMap(value)) return Object.values(value).flatMap((each) => imagesInside(each, depth + 1));
  const [alt, caption] = [value["alt"], value["caption"]];
  const images: NamedImage[] = [];
  for (const each of Object.values(value)) {
    const own = typeof each === "string" && typeof alt === "string" ? alt : undefined;
    for (const image of imagesInside(each, depth + 1)) {
      image.alt ??= own;
      image.caption ||= typeof caption === "string" ? caption : "";
      images.push(image);
    }
  }
  return images;
}

/** One image: its address, or a map with address, alt and caption as the usual themes write it. */
export function asImage(value: unknown): ParsedValue<NamedImage | null> {
  if (value === null || value === undefined || value === "" || value === false) {
    return { value: null };
  }
  if (typeof value === "string") return { value: { address: value, alt: undefined, caption: "" } };
  const invalid = { expected: "must be the address of an image, or src with alt and caption" };
  if (!isMap(value)) return invalid;
  if (Object.values(value).every((each) => each === null || each === "")) return { value: null };
  const key = addressKeys.find((name) => typeof value[name] === "string");
  // Only settings, such as the focal point of an image that is found by its name.
  const says = [...addressKeys, "alt", "caption", "title"];
  if (says.every((name) => value[name] === undefined || value[name] === null))
    return { value: null };
  const address = key === undefined ? "" : String(value[key]);
  if (address === "") return invalid;
  const alt = value["alt"];
  const caption = asText(value["caption"] ?? value["title"]);
  if (isInvalid(caption) || (alt !== undefined && alt !== null && typeof alt !== "string")) {
    return { expected: "alt and caption must be text" };
  }
  return {
    value: { address, alt: typeof alt === "string" ? alt : undefined, caption: caption.value },
  };
}

/** Images in their order. */
export function asImages(value: unknown): ParsedValue<NamedImage[]> {
  if (value === null || value === undefined) return { value: [] };
  const list = Array.isArray(value) ? value : [value];
  const images: NamedImage[] = [];
  for (const [index, item] of list.entries()) {
    const image = asImage(item);
    if (isInvalid(image)) return { expected: image.expected, at: [index] };
    const several = typeof item === "string" ? mediaInLine(item) : [];
    if (several.length > 0) {
      const [first = ""] = String(item).split(",");
      const alt = several.includes(first.trim()) ? undefined : first.trim();
      images.push(...several.map((address) => ({ address, alt, caption: "" })));
    } else if (image.value !== null) images.push(image.value);
  }
  return { value: images };
}
