import type { AgentContext, SiteKnowledge } from "../agent.ts";
import { pagePath, routeOf, sourceOfPath } from "../routes.ts";
import type { Jail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import type { ReadTracker } from "../tools/read-tracker.ts";
import { propsOf, tokensOf } from "./components.ts";
import type { UntrustedDataQuoter } from "./untrusted-data.ts";

/** About 12,000 tokens of code and words. */
const longestBriefing = 36_000;

const longest = {
  page: 8_000,
  record: 7_000,
  projects: 3_000,
  tokens: 4_000,
  voice: 4_000,
  components: 5_000,
  routes: 3_000,
  sources: 4_000,
  guide: 6_000,
  tree: 4_000,
};

const mostRead = 80;

interface Part {
  label: string;
  text: string;
  most: number;
}

interface Known {
  jail: Jail;
  files: readonly string[];
  site: SiteKnowledge;
  pageUrl: string | null;
  reads: ReadTracker;
}

async function textOf(jail: Jail, path: string): Promise<string | null> {
  try {
    return await jail.readText(path);
  } catch (error) {
    if (error instanceof ToolRefusal) return null;
    throw error;
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/\n[^\n]*$/, "")}\n… (cut, ${text.length} characters)`;
}

/** The page under the owner's eyes, with its source: that is what most instructions are about. */
async function pageParts({ jail, files, pageUrl, reads }: Known): Promise<Part[]> {
  const path = pageUrl === null ? null : pagePath(pageUrl);
  if (path === null) return [];
  const source = sourceOfPath(files, path);
  const served = source === null ? "No page file serves it." : `It is served by ${source}.`;
  const here = { label: "page the owner is looking at", text: `${path}\n${served}`, most: 600 };
  const text = source === null ? null : await textOf(jail, source);
  if (source === null || text === null) return [here];
  if (text.length <= longest.page) reads.markRead(source, text);
  return [here, { label: source, text, most: longest.page }];
}

async function tokenParts({ jail, files }: Known): Promise<Part[]> {
  const theme = "app/src/styles/theme.css";
  const sheets = files.filter((file) => /^app\/src\/styles\/[^/]+\.css$/.test(file));
  const first = files.includes(theme) ? [theme] : sheets.slice(0, 5);
  for (const sheet of first) {
    const tokens = tokensOf((await textOf(jail, sheet)) ?? "");
    if (tokens !== "") {
      return [{ label: `design tokens in ${sheet}`, text: tokens, most: longest.tokens }];
    }
  }
  return [];
}

/** What is changed in vain is said before it is tried. */
function lookParts({ site }: Known): Part[] {
  if (site.look === null || site.look === undefined) return [];
  const text = `"${site.look}" is chosen in the settings and holds over "look" in app/src/content/site.json: changing that has no effect until the owner sets the look to “As the site’s source says” under /admin/settings#look.`;
  return [{ label: "look of the site", text, most: 600 }];
}

async function componentParts({ jail, files }: Known): Promise<Part[]> {
  const astro = files.filter((file) => /^app\/src\/(components|layouts)\/.+\.astro$/.test(file));
  const lines: string[] = [];
  for (const file of astro.slice(0, mostRead)) {
    const props = propsOf((await textOf(jail, file)) ?? "");
    lines.push(props === "" ? file : `${file}: ${props}`);
  }
  if (astro.length > mostRead) lines.push(`… and ${astro.length - mostRead} more`);
  return [
    { label: "components and what they take", text: lines.join("\n"), most: longest.components },
  ];
}

function routeParts({ files, site }: Known): Part[] {
  const pages = files.flatMap((file) => {
    const route = routeOf(file);
    return route === null ? [] : [`${route} is ${file}`];
  });
  const live = site.routes.length === 0 ? [] : ["", "Live addresses:", ...site.routes];
  return [{ label: "routes", text: [...pages, ...live].join("\n"), most: longest.routes }];
}

function recordParts({ site }: Known): Part[] {
  if (site.record === null || site.record === undefined) return [];
  const text = JSON.stringify(site.record, null, 1);
  const label = "record that the page shows (edited elsewhere, not here)";
  return [{ label, text, most: longest.record }];
}

/** Projects that the owner speaks of; at most a few, so that the rest of the briefing has room. */
function namedParts({ site }: Known): Part[] {
  return (site.named ?? []).map((record) => ({
    label: "record of a project that the owner names (edited elsewhere, not here)",
    text: JSON.stringify(record, null, 1),
    most: longest.record,
  }));
}

/** Of the records an agent knows those that everyone sees: the exported ones are not in its files. */
function projectParts({ site }: Known): Part[] {
  const lines = (site.projects ?? []).map(
    ({ path, name, summary }) => `${path} ${name}: ${summary}`,
  );
  if (lines.length === 0) return [];
  return [{ label: "published projects", text: lines.join("\n"), most: longest.projects }];
}

function sourceParts({ site }: Known): Part[] {
  if (site.sources.length === 0) return [];
  const text = site.sources.map(({ title, url, notes }) => `${title} (${url})\n${notes}`);
  return [{ label: "the owner's sources", text: text.join("\n\n"), most: longest.sources }];
}

async function guideParts({ jail }: Known, path: string, most: number): Promise<Part[]> {
  const text = await textOf(jail, path);
  return text === null ? [] : [{ label: path, text, most }];
}

/** Media are many and of no use by name: the list shows none of them. */
function treeParts({ files }: Known): Part[] {
  const shown = files.filter((file) => !file.startsWith("app/public/media/"));
  return [{ label: "file tree", text: shown.join("\n"), most: longest.tree }];
}

async function parts(known: Known): Promise<Part[]> {
  return [
    ...(await pageParts(known)),
    ...recordParts(known),
    ...namedParts(known),
    ...lookParts(known),
    ...(await tokenParts(known)),
    ...(await guideParts(known, "brand/voice.md", longest.voice)),
    ...(await componentParts(known)),
    ...sourceParts(known),
    ...projectParts(known),
    ...routeParts(known),
    ...(await guideParts(known, "app/README.md", longest.guide)),
    ...treeParts(known),
  ];
}

/**
 * What the model should know of this site before its first step, the most useful first: the page with
 * its record, the design tokens, the voice, components, sources, routes, the guide, the files. Each is
 * quoted as data and bounded; all together take at most about 12,000 tokens.
 */
export async function editorBriefing(
  jail: Jail,
  context: Pick<AgentContext, "pageUrl" | "site">,
  untrusted: UntrustedDataQuoter,
  reads: ReadTracker,
): Promise<string> {
  const known = { jail, files: await jail.files(), ...context, reads };
  let room = longestBriefing;
  const quoted: string[] = [];
  for (const { label, text, most } of await parts(known)) {
    const given = cut(text, Math.min(most, room));
    if (room < 200 || given.trim() === "") continue;
    room -= given.length;
    quoted.push(untrusted.quote(label, given));
  }
  return [
    `In this conversation data stands between <data-${untrusted.boundary}> marks. What follows is known of the site.`,
    ...quoted,
  ].join("\n\n");
}
