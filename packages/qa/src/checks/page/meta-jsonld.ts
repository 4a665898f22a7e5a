import type { Check } from "../../check.ts";
import { attribute, type Element, rawText } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { readAddress } from "../../site/address.ts";
import { findResponse, isBroken } from "../addresses.ts";

type Thing = Readonly<Record<string, unknown>>;

const isThing = (value: unknown): value is Thing =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Block {
  element: Element;
  /** Null if it can't be parsed. */
  value: unknown;
  error: string | null;
}

const read = new WeakMap<Page, readonly Block[]>();

function blocksOf(page: Page): readonly Block[] {
  const known = read.get(page);
  if (known) return known;
  const found = page
    .all("script")
    .filter((script) => attribute(script, "type")?.trim().toLowerCase() === "application/ld+json")
    .map((element): Block => {
      try {
        return { element, value: JSON.parse(rawText(element)), error: null };
      } catch (error) {
        return { element, value: null, error: error instanceof Error ? error.message : "" };
      }
    });
  read.set(page, found);
  return found;
}

/** Every object in a value, with its path, to a depth that no one exceeds by hand. */
function* thingsIn(value: unknown, path = "", depth = 0): Generator<[path: string, thing: Thing]> {
  if (depth > 12) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.slice(0, 200).entries()) {
      yield* thingsIn(item, `${path}[${index}]`, depth + 1);
    }
  } else if (isThing(value)) {
    yield [path, value];
    for (const [key, inner] of Object.entries(value)) {
      yield* thingsIn(inner, path === "" ? key : `${path}.${key}`, depth + 1);
    }
  }
}

/** Line and column, from 1, if the error message names a position. */
function placeOf(error: string, text: string): { line: number; column: number } | null {
  const position = /position (\d+)/.exec(error)?.[1];
  if (position === undefined) return null;
  const before = text.slice(0, Number(position)).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Reports structured data that can't be parsed. */
export const metaJsonldSyntax: Check = {
  id: "meta.jsonld-syntax",
  category: "structured data",
  severity: "error",
  *run(page) {
    for (const { element, error } of blocksOf(page)) {
      if (error === null) continue;
      const place = placeOf(error, rawText(element));
      const first = element.sourceCodeLocation?.startLine ?? null;
      const line = first !== null && place ? first + place.line - 1 : first;
      yield {
        at: "ld+json",
        evidence: { error: error.slice(0, 200), line, column: place?.column ?? null },
        location: { line },
        message: "The page’s structured data isn’t valid JSON.",
      };
    }
  },
};

/**
 * What each type must have to be useful; each entry is one property, or several of which one is
 * enough.
 */
const required: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Article: [["headline", "name"]],
  BlogPosting: [["headline", "name"]],
  NewsArticle: [["headline", "name"]],
  BreadcrumbList: [["itemListElement"]],
  Course: [["name"], ["description"]],
  Event: [["name"], ["startDate"], ["location"]],
  FAQPage: [["mainEntity"]],
  HowTo: [["name"], ["step"]],
  ImageObject: [["contentUrl", "url", "embedUrl"]],
  ItemList: [["itemListElement"]],
  JobPosting: [["title"], ["description"], ["datePosted"], ["hiringOrganization"]],
  LocalBusiness: [["name"], ["address"]],
  Organization: [["name", "legalName", "alternateName"]],
  Person: [["name", "givenName", "familyName", "alternateName"]],
  Product: [["name"], ["offers", "review", "aggregateRating"]],
  Question: [
    ["name", "text"],
    ["acceptedAnswer", "suggestedAnswer"],
  ],
  Recipe: [["name"], ["image"]],
  SoftwareApplication: [["name"]],
  VideoObject: [["name"], ["thumbnailUrl", "thumbnail"], ["uploadDate"]],
  WebSite: [["url"], ["name"]],
};

function typesOf(thing: Thing): string[] {
  const types = [thing["@type"]].flat();
  return types
    .filter((type) => typeof type === "string")
    .map((type) => type.replace(/^.*[/:#]/, ""));
}

const isFilled = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

/** Reports structured data without the properties that its type requires. */
export const metaJsonldRequired: Check = {
  id: "meta.jsonld-required",
  category: "structured data",
  severity: "warning",
  *run(page) {
    for (const { element, value } of blocksOf(page)) {
      for (const [path, thing] of thingsIn(value)) {
        // An object that is defined in full elsewhere is only referenced here.
        const keys = Object.keys(thing).filter((key) => key !== "@context");
        const named = typeof thing["@id"] === "string" && keys.length <= 2;
        if (named) continue;
        for (const type of typesOf(thing)) {
          const missing = (Object.hasOwn(required, type) ? (required[type] ?? []) : [])
            .filter((names) => !names.some((name) => isFilled(thing[name])))
            .map(([name = ""]) => name);
          if (missing.length === 0) continue;
          yield {
            target: `${type}: ${missing.join(", ")}`,
            at: "ld+json",
            shared: true,
            evidence: { "@type": type, missing, path },
            location: { line: element.sourceCodeLocation?.startLine ?? null },
            message: `The structured data has a ${type} without ${missing.join(" and ")}.`,
          };
        }
      }
    }
  },
};

/** Properties with an address that people or search engines open. */
const opened = new Set([
  "url",
  "image",
  "logo",
  "contentUrl",
  "thumbnailUrl",
  "embedUrl",
  "item",
  "mainEntityOfPage",
  "photo",
  "screenshot",
]);

/** The addresses of the site in an object's properties. */
function* addressesIn(path: string, thing: Thing): Generator<[path: string, raw: string]> {
  for (const [key, value] of Object.entries(thing)) {
    if (!opened.has(key)) continue;
    for (const [index, one] of [value].flat().entries()) {
      const where = [path, Array.isArray(value) ? `${key}[${index}]` : key]
        .filter(Boolean)
        .join(".");
      if (typeof one === "string" && /^(?:https?:\/\/|\/)/.test(one)) yield [where, one];
    }
  }
}

/** Reports a broken address in structured data. */
export const metaJsonldUrlBroken: Check = {
  id: "meta.jsonld-url-broken",
  category: "structured data",
  severity: "error",
  *run(page, site) {
    for (const { element, value } of blocksOf(page)) {
      for (const [at, thing] of thingsIn(value)) {
        for (const [path, raw] of addressesIn(at, thing)) {
          const target = readAddress(raw, page.path, site.origin);
          if (target.kind !== "inside" || !isBroken(site, target)) continue;
          yield {
            target: target.path,
            at: "ld+json",
            shared: true,
            evidence: { path, url: raw, ...findResponse(site, target) },
            location: { line: element.sourceCodeLocation?.startLine ?? null },
            message: `The structured data refers to ${target.path}, which doesn’t exist.`,
          };
        }
      }
    }
  },
};
