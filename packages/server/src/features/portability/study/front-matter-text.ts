import { isMediaName } from "../folder/media-names.ts";
import { fieldNames, plainName } from "./field-names.ts";
import type { FrontMatterEntry, FrontMatterReader } from "./front-matter-reader.ts";
import { asProse, isInvalid } from "./values.ts";

/** What themes ask for as parts of a case study's text. */
const sections = new Set(
  "architecture background context problem challenge challenges goal goals objective approach process research solution implementation outcome outcomes result results impact learnings lessons conclusion conclusions reflection keylearning keylearnings learning lessons whatidid mywork motivation responsibilities contributions features keyfeatures highlights achievements story takeaways nextsteps problema problem solucion resultado resultados desafio probleme losung content body text longdescription fulldescription details".split(
    " ",
  ),
);
/** Further summaries, of which a project has one alone: the text takes the others. */
const summaries = new Set(
  [...fieldNames.summary, "bio", "about"]
    .map(plainName)
    .filter((name) => name !== "metadescription"),
);
/** Those whose text needs no heading. */
const plain = new Set(["content", "body", "text", "longdescription", "fulldescription", "details"]);
/** Groups of such parts. */
const caseStudies = new Set(["casestudy", "casoexito", "case", "sections", "study"]);

/** What an address under such a name leads to; null for a name that is no link's. */
function linkLabel(name: string): string | null {
  if (/^(?:guid|id|image|href|cover|video|schema|feed)/.test(name)) return null;
  if (/github|gitlab|repo|source|code$|^code/.test(name)) return "Source code";
  if (/demo/.test(name)) return "Demo";
  const isLink =
    /link|url$|site|external|live|deploy|homepage|website|visit|^web$|^app$|host|preview|playstore|appstore/;
  return isLink.test(name) ? "Visit the project" : null;
}
const address = /^https?:\/\/[^\s<>(){}"]{3,500}$/;
/** As long as a project's summary may be, in characters. */
const maxSummaryLength = 280;
/** The longest part of a text that is taken, in characters. */
const maxPartLength = 8000;

function headingOf(name: string): string {
  const words = name.replace(/[-_]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

const nameOf = ({ path }: FrontMatterEntry) => path.at(-1) ?? "";

/** Maps with a title and a text under these names are about something other than the project. */
const notSections =
  /^(?:seo|meta|og|opengraph|twitter|social|share|authors?|team|members?|cta|nav|navigation|menu|related|next|prev(?:ious)?|newsletter|contact|form|footer|header|head|theme|comments?)$/;

/** A part with a title of its own, such as {title, summary}; null for what is none. */
function titledSection(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const part = value as Record<string, unknown>;
  const title = part["title"] ?? part["heading"] ?? part["label"];
  const text =
    part["summary"] ?? part["text"] ?? part["description"] ?? part["content"] ?? part["body"];
  if (typeof title !== "string" || typeof text !== "string" || text.trim() === "") return null;
  return `## ${title.replace(/\s+/g, " ").trim()}\n\n${text.trim().slice(0, maxPartLength)}`;
}

/** Parts with titles of their own under a name of any kind; null for what are none. */
function titledSections(name: string, value: unknown): string | null {
  if (notSections.test(name)) return null;
  const parts = (Array.isArray(value) ? value : [value]).map(titledSection);
  const isProse = parts.some((part) => part !== null && /(?:\S+\s+){6}/.test(part));
  return isProse ? parts.filter((part) => part !== null).join("\n\n") : null;
}

/** A text as paragraphs, without the indentation that it has in a program. */
function paragraphsOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join("\n\n") : String(value);
  return text
    .trim()
    .replace(/\n[ \t]+/g, "\n")
    .slice(0, maxPartLength);
}

function sectionOf(entry: FrontMatterEntry): string | null {
  const name = plainName(nameOf(entry));
  const { value } = entry;
  if (caseStudies.has(name) && typeof value === "object" && value !== null) {
    const inner = Object.entries(value).map(
      ([key, each]: [string, unknown]) =>
        titledSection(each) ?? sectionOf({ path: [...entry.path, key], value: each }),
    );
    return inner.filter((part) => part !== null).join("\n\n") || null;
  }
  if (!sections.has(name) && !summaries.has(name)) return titledSections(name, value);
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (summaries.has(name) && !isMap) {
    const words = asProse(value);
    return !isInvalid(words) && /(?:\S+\s+){5}/.test(words.value) ? paragraphsOf(value) : null;
  }
  const titled = titledSection(value) ?? titledSections(name, value);
  if (titled !== null) return titled;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const inner = Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
      typeof each === "string" && /\S\s+\S/.test(each)
        ? [`### ${headingOf(key)}\n\n${paragraphsOf(each)}`]
        : [],
    );
    return inner.length > 0 ? `## ${headingOf(nameOf(entry))}\n\n${inner.join("\n\n")}` : null;
  }
  if (Array.isArray(value)) {
    const texts = value.map((each: unknown) => (each as { text?: unknown } | null)?.text);
    if (texts.length > 0 && texts.every((each) => typeof each === "string")) {
      return `## ${headingOf(nameOf(entry))}\n\n${paragraphsOf(texts)}`;
    }
  }
  const lines = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = lines ? value.map((each) => `- ${each}`).join("\n") : value;
  if (typeof text !== "string" || !/\S\s+\S/.test(text)) return null;
  const words = text.trim().slice(0, maxPartLength);
  return plain.has(name) ? words : `## ${headingOf(nameOf(entry))}\n\n${words}`;
}

/** The links that an entry is: one address, or those of a map or a list, with their words. */
function linksOf({ path, value }: FrontMatterEntry): [string, string][] {
  const name = plainName(path.at(-1) ?? "");
  const target = typeof value === "string" ? value.trim() : "";
  const label = linkLabel(name);
  if (typeof value === "string") {
    const isCode = /^https?:\/\/(?:www\.)?(?:github|gitlab)\.com\//.test(target);
    const isMedia = isMediaName(target.replace(/[?#].*$/, ""));
    if (label === null || !address.test(target) || isMedia) return [];
    return [[isCode ? "Source code" : label, target]];
  }
  if (typeof value !== "object" || value === null) return [];
  const isList = /^(?:links?|urls?|cta|buttons?|actions)$/.test(name);
  // A single link with its text, whatever its name.
  const inner: [string, unknown][] = isList
    ? Object.entries(value)
    : "label" in value && !notSections.test(name)
      ? [[name, value]]
      : [];
  return inner.flatMap(([key, each]): [string, string][] => {
    if (typeof each === "string") {
      const own = linkLabel(plainName(key)) ?? headingOf(key);
      return address.test(each.trim()) ? [[own, each.trim()]] : [];
    }
    if (typeof each !== "object" || each === null) return [];
    const item = each as Record<string, unknown>;
    const to = item["url"] ?? item["href"] ?? item["link"] ?? item["to"];
    const words = item["label"] ?? item["title"] ?? item["name"] ?? item["text"] ?? item["type"];
    if (typeof to !== "string" || !address.test(to.trim())) return [];
    const own = typeof words === "string" ? words.replace(/[[\]\n]/g, " ").trim() : "";
    return [[own.slice(0, 60) || "Visit the project", to.trim()]];
  });
}

/** A summary that is longer than the field: the text has all of it, unless it does already. */
function longSummary(frontMatter: FrontMatterReader, body: string): string[] {
  const raw = frontMatter.raw("summary");
  const paragraphs = Array.isArray(raw) && raw.every((each) => typeof each === "string");
  const summary = asProse(raw);
  if (isInvalid(summary) || summary.value.length <= maxSummaryLength) return [];
  const text = paragraphs ? raw.join("\n\n") : summary.value;
  return body.includes(text.slice(0, 100)) ? [] : [text.slice(0, maxPartLength)];
}

/**
 * The text of a study with what its front matter has of it: the parts that themes ask for there, and
 * the addresses of the project elsewhere.
 */
export function withFrontMatterText(frontMatter: FrontMatterReader, body: string): string {
  const parts = longSummary(frontMatter, body);
  const found = new Map<string, string>();
  for (const entry of frontMatter.rest) {
    const part = sectionOf(entry);
    const section = part !== null && body.includes(part.slice(0, 100)) ? null : part;
    const links = section === null ? linksOf(entry) : [];
    if (section !== null) parts.push(section);
    for (const [label, target] of links) {
      if (!body.includes(target) && !found.has(label)) found.set(label, `[${label}](${target})`);
    }
    if (section !== null || links.length > 0) frontMatter.use(entry);
  }
  if (parts.length === 0 && found.size === 0) return body;
  const after = found.size > 0 ? [[...found.values()].join(" · ")] : [];
  return [...parts, body.trim(), ...after].filter((part) => part !== "").join("\n\n");
}
