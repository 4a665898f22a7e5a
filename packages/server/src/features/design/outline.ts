import type { ProjectRecord } from "../projects/schema.ts";
import { findDates } from "./facts/dates.ts";
import { findNumbers, type FoundNumber } from "./facts/numbers.ts";
import { findTechnologies } from "./facts/technologies.ts";
import { outlineTexts, sentencesOf } from "./outline-texts.ts";
import type { DesignImage } from "./images.ts";
import type { BuiltFields } from "./schema.ts";
import { slugOf } from "../projects/slug.ts";

/** The input for a record. */
export interface DesignInput {
  name: string;
  brief: string;
  kind?: string | undefined;
  category?: string | undefined;
  reelUrl?: string | null | undefined;
  /** In the order of the gallery. */
  images: readonly DesignImage[];
  /** The stored record; null for a new one. */
  present: ProjectRecord | null;
}

const edge = /[,;:.!?()–—\n]|\s(?:and|but|while|which|that|who|because|so)\s/;
const leading = /^(?:of|the|a|an|in|to|for|at|on|from|by|was|were|is|are)\s+/i;

/** The words next to a number: those after it, otherwise those before it. */
function labelOf(text: string, { at, text: value }: FoundNumber): string {
  const behind = text.slice(at + value.length).split(edge)[0] ?? "";
  const before = text.slice(0, at).split(edge).at(-1) ?? "";
  const trim = (words: string[]): string => words.join(" ").trim();
  const after = trim(behind.trim().replace(leading, "").split(/\s+/).slice(0, 6));
  const label = /\p{L}{3}/u.test(after)
    ? after
    : trim(before.trim().split(/\s+/).slice(-6)).replace(
        /\s(?:by|to|from|of|than|about|at|in)$/i,
        "",
      );
  return label.slice(0, 60).trim();
}

/** "fell from 50 to 20 minutes": one metric, with the label before it. */
function changesOf(sentence: string): { metrics: BuiltFields["metrics"]; rest: string } {
  const metrics: BuiltFields["metrics"] = [];
  const change =
    /(?<label>[^,;:.!?()–—]{3,}?)\sfrom\s(?<from>\d[\d.,]*(?:\s?%)?)\sto\s(?<to>\d[\d.,]*\d|\d)(?<unit>\s?%|\s\p{Ll}+)?/gu;
  const rest = sentence.replace(
    change,
    (match, label: string, from: string, to: string, unit = "") => {
      const value = `${from} → ${to}${String(unit)}`;
      const words = label
        .trim()
        .split(/\s+/)
        .slice(-6)
        .join(" ")
        .replace(/^(?:and|but)\s/i, "");
      if (value.length > 24 || words === "" || words.length > 60) return match;
      metrics.push({ value, label: words });
      return " ".repeat(match.length);
    },
  );
  return { metrics, rest };
}

function singlesOf(text: string): BuiltFields["metrics"] {
  return findNumbers(text).flatMap((number) => {
    const isSmallWord = number.isWord && number.values.every((value) => value < 10);
    if (isSmallWord || number.text.length > 24) return [];
    const label = labelOf(text, number).replace(/\s{2,}/g, " ");
    return label === "" ? [] : [{ value: number.text.replace(/(\d)\s?per ?cent/, "$1 %"), label }];
  });
}

function metricsOf(brief: string): BuiltFields["metrics"] {
  const found = sentencesOf(brief).flatMap((sentence) => {
    const { metrics, rest } = changesOf(findDates(sentence).rest);
    return metrics.concat(singlesOf(rest));
  });
  return [...new Map(found.map((metric) => [metric.value, metric])).values()].slice(0, 8);
}

const monthNames =
  "January February March April May June July August September October November December".split(
    " ",
  );

/** From the first date in the brief to the last one. */
function periodOf(brief: string): string {
  const points = findDates(brief).dates.flatMap(({ parts }) => {
    const month = Number(parts.find((part) => /^m\d/.test(part))?.slice(1) ?? 0);
    return parts
      .filter((part) => part.startsWith("y"))
      .map((part) => ({ year: Number(part.slice(1)), month }));
  });
  if (points.length === 0) return "";
  const sorted = points.toSorted((one, other) => one.year - other.year || one.month - other.month);
  const words = ({ year, month }: { year: number; month: number }): string =>
    month === 0 ? String(year) : `${monthNames[month - 1] ?? ""} ${year}`;
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return "";
  const [from, to] = [words(first), words(last)];
  return from === to ? from : `${from}–${to}`;
}

const kinds =
  `web app|web application|mobile app|app|progressive web app|design system|online shop|web shop|e-commerce site|landing page|website|web site|
portfolio|intranet|dashboard|admin panel|booking system|ordering system|chatbot|brand identity|visual identity|corporate identity|rebrand|rebranding|redesign|
logo|poster series|poster|packaging|book design|book|magazine|brochure|exhibition|wayfinding|signage|campaign|short film|film|animation|motion graphics|
illustration|photography|typeface|installation|game|prototype|user research|data visualisation|data visualization|newsletter|annual report`
    .split(/[|\n]+/)
    .filter(Boolean)
    .toSorted((one, other) => other.length - one.length);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function kindOf(brief: string): string {
  const places = kinds.flatMap((kind) => {
    const at = new RegExp(String.raw`(?<![\p{L}-])${kind}s?(?![\p{L}-])`, "iu").exec(brief)?.index;
    return at === undefined ? [] : [{ kind, at }];
  });
  // The one that comes first; of two at the same position, the longer one.
  const [first] = places.toSorted((one, other) => one.at - other.at);
  return first ? capitalized(first.kind) : "";
}

const profession = String.raw`(?:(?:lead|senior|junior|principal|sole|freelance|product|web|graphic|ux|ui|ux\/ui|interaction|visual|brand|service|motion|creative|art|front-?end|back-?end|full-?stack|software|mobile|type|exhibition|design|content|project|user|data)\s+)*(?:designer|developer|engineer|director|researcher|illustrator|photographer|animator|writer|programmer|strategist|consultant|editor|manager|lead)`;
const roles = [
  new RegExp(
    String.raw`\brole\s*(?::|was(?:\s+(?:the|that\s+of))?|is)\s*(?:an?\s+)?(?<role>${profession}(?:\s*(?:and|&|,)\s*${profession})?)`,
    "iu",
  ),
  new RegExp(
    String.raw`\bas\s+(?:the|an?|their)?\s*(?<role>${profession}(?:\s*(?:and|&)\s*${profession})?)`,
    "iu",
  ),
  new RegExp(
    String.raw`\bI\s+(?:was|worked\s+as|am)\s+(?:the|an?|their)?\s*(?<role>${profession})`,
    "iu",
  ),
];

function roleOf(brief: string): string {
  for (const pattern of roles) {
    const role = pattern.exec(brief)?.groups?.["role"];
    if (role !== undefined) return capitalized(role.trim()).slice(0, 120);
  }
  return "";
}

function skillsOf(brief: string): BuiltFields["skills"] {
  const groups = Map.groupBy(findTechnologies(brief), ({ group }) => group);
  return [...groups].map(([group, items]) => ({
    group,
    items: items.slice(0, 24).map(({ name }) => name),
  }));
}

/** The words in a file name, if any; not a camera's numbering. */
export function captionOfName(originalName: string): string {
  // Generated names that contain the time of day.
  if (/^(?:screen ?shot|bildschirmfoto|whatsapp)/i.test(originalName)) return "";
  const words = originalName
    .replace(/\.[a-z0-9]{2,5}$/i, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[\s_.+-]+/)
    .filter((word) => /^\p{L}{2,}$/u.test(word))
    .filter(
      (word) =>
        !/^(?:img|dsc|dscn|dcim|pxl|mvi|gopr|screenshot|screen|shot|photo|image|picture|bild|scan|untitled|copy|final|export|edited|whatsapp|vid|video)$/i.test(
          word,
        ),
    );
  const text = words.join(" ").slice(0, 300);
  return text === "" ? "" : capitalized(text.toLowerCase());
}

/** The record's value if the outline has none. */
function or<T extends string | readonly unknown[]>(made: T, present: T | undefined): T {
  return made.length > 0 || present === undefined ? made : present;
}

/** Caption and alt text of each image, if the owner has named it. */
function galleryOf({ images, present }: DesignInput): BuiltFields["gallery"] {
  const known = new Map(present?.gallery.map((item) => [item.src, item]));
  return images.map(({ src, originalName, alt }) => {
    const own = known.get(src);
    const text = own?.alt ?? alt;
    return {
      src,
      caption: own?.caption || captionOfName(originalName),
      ...(text === "" ? {} : { alt: text }),
    };
  });
}

/**
 * A record from the brief's own words, without a model. The same brief gives the same record, and
 * nothing is made up. Numbers become metrics labeled with adjacent words, known technologies the
 * stack and the skills, dates the period, phrases the kind and the role, file names captions.
 */
export function outlineOf(input: DesignInput): BuiltFields {
  const { name, brief, category, present } = input;
  const texts = outlineTexts(brief);
  const technologies = findTechnologies(brief).map((technology) => technology.name);
  return {
    name,
    slug: present?.slug ?? slugOf(name),
    summary: or(texts.summary, present?.summary),
    lede: or(texts.lede, present?.lede),
    body: or(texts.body, present?.body),
    kind: input.kind ?? or(kindOf(brief), present?.kind),
    period: or(periodOf(brief).slice(0, 60), present?.period),
    role: or(roleOf(brief), present?.role),
    categories: category ? [category] : (present?.categories ?? []),
    stack: or(technologies.slice(0, 40), present?.stack),
    skills: or(skillsOf(brief).slice(0, 12), present?.skills),
    metrics: or(metricsOf(brief), present?.metrics),
    gallery: galleryOf(input),
    reelUrl: input.reelUrl === undefined ? (present?.reelUrl ?? null) : input.reelUrl,
    brief,
  };
}
