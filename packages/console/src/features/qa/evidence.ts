import { plainText } from "../../ui/plain-text.ts";

/** Evidence, ready to be shown. */
export type EvidenceValue =
  | { kind: "text"; text: string }
  | { kind: "link"; text: string; href: string }
  | { kind: "code"; text: string }
  | { kind: "color"; text: string }
  | { kind: "image"; src: string }
  | { kind: "list"; items: EvidenceValue[]; more: number }
  | { kind: "facts"; facts: Fact[] };

export interface Fact {
  name: string;
  value: EvidenceValue;
}

/** Maximum items of a list; nesting is limited to a few levels. */
const maxItems = 12;
const deepest = 3;
/** Longer texts are truncated, because evidence only has to be recognizable. */
const maxLength = 1200;

const names: Readonly<Record<string, string>> = {
  fg: "Text",
  bg: "Background",
  foreground: "Text",
  background: "Background",
  front: "Text",
  back: "Background",
  ratio: "Contrast",
  required: "Needed",
  needed: "Needed",
  html: "Markup",
  selector: "Element",
  helpUrl: "Explanation",
  help: "Rule",
  act: "ACT rules",
  wcag: "WCAG",
  engines: "Found by",
  ms: "Time",
  url: "Address",
  href: "Link",
  src: "File",
  from: "From",
  to: "To",
  hops: "Redirects",
  alt: "Alt text",
  loc: "Address in the sitemap",
  screenshot: "Screenshot",
};

/** `scrollWidth` → "Scroll width". */
export function factName(key: string): string {
  const known = names[key];
  if (known !== undefined) return known;
  const words = plainText(key)
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const color = /^(?:#[0-9a-f]{3,8}|(?:rgb|hsl|oklch|oklab|lab|lch)a?\([\d\s.,%/a-z+-]{3,60}\))$/i;
const imageKey = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/;
const codeKeys = /^(?:html|selector|snippet|header|raw|body|markup|stack|element|offender)$/i;
const isColorKey = /^(?:fg|bg|fore|back)|colou?r/i;

function cut(value: string): string {
  const text = plainText(value);
  return text.length > maxLength ? `${text.slice(0, maxLength).trimEnd()}…` : text;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A time in the record's time zone. */
function timeText(iso: string): string {
  const words = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return `${words.format(new Date(iso))} UTC`;
}

function textOf(key: string, value: string): EvidenceValue {
  if (time.test(value) && !Number.isNaN(Date.parse(value))) {
    return { kind: "text", text: timeText(value) };
  }
  if (imageKey.test(value)) return { kind: "image", src: value };
  const text = cut(value);
  if (isColorKey.test(key) && color.test(text)) return { kind: "color", text };
  if (/^https?:\/\/\S+$/i.test(value) && value.length <= maxLength) {
    return { kind: "link", text, href: value };
  }
  return codeKeys.test(key) ? { kind: "code", text } : { kind: "text", text };
}

const sizes: readonly (readonly [number, string])[] = [
  [1_000_000, "MB"],
  [1000, "kB"],
];

function bytesText(value: number): string {
  const [unit, word] = sizes.find(([min]) => value >= min) ?? [1, "B"];
  return `${Math.round((value / unit) * 10) / 10} ${word}`;
}

function numberText(key: string, value: number): string {
  if (/^(?:ratio|required|needed)$/i.test(key)) return `${Math.round(value * 100) / 100}:1`;
  if (/(?:^|[a-z])(?:ms|Ms)$/.test(key)) return `${Math.round(value).toLocaleString("en")} ms`;
  if (/bytes|budget/i.test(key)) return bytesText(value);
  return Number.isInteger(value) ? String(value) : String(Math.round(value * 1000) / 1000);
}

/** The display form of an evidence value; null if there is nothing to show. */
function formatValue(key: string, value: unknown, depth: number): EvidenceValue | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return textOf(key, value);
  if (typeof value === "number") return { kind: "text", text: numberText(key, value) };
  if (typeof value === "boolean") return { kind: "text", text: value ? "Yes" : "No" };
  if (typeof value !== "object" || depth >= deepest) {
    return { kind: "code", text: cut(JSON.stringify(value)) };
  }
  if (Array.isArray(value)) {
    const items = value
      .slice(0, maxItems)
      .map((item: unknown) => formatValue(key, item, depth + 1))
      .filter((item) => item !== null);
    if (items.length === 0) return null;
    const [only] = items;
    if (items.length === 1 && only) return only;
    return { kind: "list", items, more: Math.max(0, value.length - maxItems) };
  }
  const facts = factsOf(value as Record<string, unknown>, depth + 1);
  return facts.length === 0 ? null : { kind: "facts", facts };
}

/** A finding's evidence as names and values without empty ones. */
export function factsOf(evidence: Readonly<Record<string, unknown>>, depth = 0): Fact[] {
  return Object.entries(evidence).flatMap(([key, value]) => {
    const found = formatValue(key, value, depth);
    return found === null ? [] : [{ name: factName(key), value: found }];
  });
}
