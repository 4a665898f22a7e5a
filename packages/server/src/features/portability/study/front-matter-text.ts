import { plainName } from "./field-names.ts";
import type { FrontMatterEntry, FrontMatterReader } from "./front-matter-reader.ts";

/** What themes ask for as parts of a case study's text. */
const sections = new Set(
  "background context problem challenge challenges goal goals objective approach process research solution implementation outcome outcomes result results impact learnings lessons conclusion reflection content body text longdescription details".split(
    " ",
  ),
);
/** Those whose text needs no heading. */
const plain = new Set(["content", "body", "text", "longdescription", "details"]);

const links: Readonly<Record<string, string>> = {
  link: "Visit the project",
  url: "Visit the project",
  website: "Visit the project",
  site: "Visit the project",
  external: "Visit the project",
  projecturl: "Visit the project",
  live: "Visit the project",
  liveurl: "Visit the project",
  livelink: "Visit the project",
  demo: "Demo",
  demourl: "Demo",
  demolink: "Demo",
  github: "Source code",
  githuburl: "Source code",
  repo: "Source code",
  repository: "Source code",
  source: "Source code",
  sourcecode: "Source code",
  sourcelink: "Source code",
};
const address = /^https?:\/\/[^\s<>()"]{3,500}$/;
/** The longest part of a text that is taken, in characters. */
const maxPartLength = 8000;

function headingOf(name: string): string {
  const words = name.replace(/[-_]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

const nameOf = ({ path }: FrontMatterEntry) => path.at(-1) ?? "";

function sectionOf(entry: FrontMatterEntry): string | null {
  const name = plainName(nameOf(entry));
  if (!sections.has(name)) return null;
  const { value } = entry;
  const lines = Array.isArray(value) && value.every((each) => typeof each === "string");
  const text = lines ? value.map((each) => `- ${each}`).join("\n") : value;
  if (typeof text !== "string" || !/\S\s+\S/.test(text)) return null;
  const words = text.trim().slice(0, maxPartLength);
  return plain.has(name) ? words : `## ${headingOf(nameOf(entry))}\n\n${words}`;
}

/**
 * The text of a study with what its front matter has of it: the parts that themes ask for there, and
 * the addresses of the project elsewhere.
 */
export function withFrontMatterText(frontMatter: FrontMatterReader, body: string): string {
  const parts: string[] = [];
  const found = new Map<string, string>();
  for (const entry of frontMatter.rest) {
    const section = sectionOf(entry);
    const label = links[plainName(nameOf(entry))];
    const isLink = label !== undefined && address.test(String(entry.value).trim());
    if (section !== null) parts.push(section);
    if (isLink && !body.includes(String(entry.value).trim())) {
      found.set(label, `[${label}](${String(entry.value).trim()})`);
    }
    if (section !== null || isLink) frontMatter.use(entry);
  }
  if (parts.length === 0 && found.size === 0) return body;
  const after = found.size > 0 ? [[...found.values()].join(" · ")] : [];
  return [...parts, body.trim(), ...after].filter((part) => part !== "").join("\n\n");
}
