import type { AgentContext, SiteContext } from "../agent.ts";
import { pagePath, routeOf, sourceOfPath } from "../routes.ts";
import type { Jail } from "../tools/jail.ts";
import { ToolRefusal } from "../tools/refusal.ts";
import type { ReadTracker } from "../tools/read-tracker.ts";
import { propsOf, tokensOf } from "./components.ts";
import type { UntrustedDataQuoter } from "./untrusted-data.ts";

/** About 12,000 tokens of code and text. */
const maxBriefingLength = 36_000;

const maxPartLength = {
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

const maxReadFiles = 80;

interface Part {
  label: string;
  text: string;
  maxLength: number;
}

interface BriefingInput {
  jail: Jail;
  files: readonly string[];
  site: SiteContext;
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

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/\n[^\n]*$/, "")}\n… (cut, ${text.length} characters)`;
}

/** The page that the owner has open, with its source, because most instructions are about it. */
async function pageParts({ jail, files, pageUrl, reads }: BriefingInput): Promise<Part[]> {
  const path = pageUrl === null ? null : pagePath(pageUrl);
  if (path === null) return [];
  const source = sourceOfPath(files, path);
  const served = source === null ? "No page file serves it." : `It is served by ${source}.`;
  const here = {
    label: "page the owner is looking at",
    text: `${path}\n${served}`,
    maxLength: 600,
  };
  const text = source === null ? null : await textOf(jail, source);
  if (source === null || text === null) return [here];
  if (text.length <= maxPartLength.page) reads.markRead(source, text);
  return [here, { label: source, text, maxLength: maxPartLength.page }];
}

async function tokenParts({ jail, files }: BriefingInput): Promise<Part[]> {
  const theme = "app/src/styles/theme.css";
  const sheets = files.filter((file) => /^app\/src\/styles\/[^/]+\.css$/.test(file));
  const first = files.includes(theme) ? [theme] : sheets.slice(0, 5);
  for (const sheet of first) {
    const tokens = tokensOf((await textOf(jail, sheet)) ?? "");
    if (tokens !== "") {
      return [
        { label: `design tokens in ${sheet}`, text: tokens, maxLength: maxPartLength.tokens },
      ];
    }
  }
  return [];
}

/** Settings that override the source, so that the agent doesn't try to change it. */
function themeParts({ site }: BriefingInput): Part[] {
  const chosen = [
    [site.theme, "look", "theme", "Set by the site’s source"],
    [site.accent, "accent", "accent color", "From the site’s source"],
  ] as const;
  return chosen.flatMap(([value, field, what, source]) => {
    if (value === null || value === undefined) return [];
    const text = `"${value}" is chosen in the settings and overrides "${field}" in app/src/content/site.json: changing that has no effect until the owner sets the ${what} to “${source}” under /admin/settings#theme.`;
    return [{ label: `${what} of the site`, text, maxLength: 600 }];
  });
}

async function componentParts({ jail, files }: BriefingInput): Promise<Part[]> {
  const astro = files.filter((file) => /^app\/src\/(components|layouts)\/.+\.astro$/.test(file));
  const lines: string[] = [];
  for (const file of astro.slice(0, maxReadFiles)) {
    const props = propsOf((await textOf(jail, file)) ?? "");
    lines.push(props === "" ? file : `${file}: ${props}`);
  }
  if (astro.length > maxReadFiles) lines.push(`… and ${astro.length - maxReadFiles} more`);
  return [
    {
      label: "components and what they take",
      text: lines.join("\n"),
      maxLength: maxPartLength.components,
    },
  ];
}

function routeParts({ files, site }: BriefingInput): Part[] {
  const pages = files.flatMap((file) => {
    const route = routeOf(file);
    return route === null ? [] : [`${route} is ${file}`];
  });
  const live = site.routes.length === 0 ? [] : ["", "Live addresses:", ...site.routes];
  return [
    { label: "routes", text: [...pages, ...live].join("\n"), maxLength: maxPartLength.routes },
  ];
}

function recordParts({ site }: BriefingInput): Part[] {
  if (site.record === null || site.record === undefined) return [];
  const text = JSON.stringify(site.record, null, 1);
  const label = "record that the page shows (change it with the project tools)";
  return [{ label, text, maxLength: maxPartLength.record }];
}

/** Projects that the owner names; a few at most, so that the rest of the briefing fits. */
function namedParts({ site }: BriefingInput): Part[] {
  return (site.named ?? []).map((record) => ({
    label: "record of a project that the owner names (change it with the project tools)",
    text: JSON.stringify(record, null, 1),
    maxLength: maxPartLength.record,
  }));
}

/** Records that everyone can see; the exported ones aren't among the agent's files. */
function projectParts({ site }: BriefingInput): Part[] {
  const lines = (site.projects ?? []).map(
    ({ path, name, summary }) => `${path} ${name}: ${summary}`,
  );
  if (lines.length === 0) return [];
  return [
    { label: "published projects", text: lines.join("\n"), maxLength: maxPartLength.projects },
  ];
}

function sourceParts({ site }: BriefingInput): Part[] {
  if (site.sources.length === 0) return [];
  const text = site.sources.map(({ title, url, notes }) => `${title} (${url})\n${notes}`);
  return [
    { label: "the owner's sources", text: text.join("\n\n"), maxLength: maxPartLength.sources },
  ];
}

async function guideParts(
  { jail }: BriefingInput,
  path: string,
  maxLength: number,
): Promise<Part[]> {
  const text = await textOf(jail, path);
  return text === null ? [] : [{ label: path, text, maxLength }];
}

/** There are many media files, and their names say little, so the list omits them. */
function treeParts({ files }: BriefingInput): Part[] {
  const shown = files.filter((file) => !file.startsWith("app/public/media/"));
  return [{ label: "file tree", text: shown.join("\n"), maxLength: maxPartLength.tree }];
}

async function parts(input: BriefingInput): Promise<Part[]> {
  return [
    ...(await pageParts(input)),
    ...recordParts(input),
    ...namedParts(input),
    ...themeParts(input),
    ...(await tokenParts(input)),
    ...(await guideParts(input, "brand/voice.md", maxPartLength.voice)),
    ...(await componentParts(input)),
    ...sourceParts(input),
    ...projectParts(input),
    ...routeParts(input),
    ...(await guideParts(input, "app/README.md", maxPartLength.guide)),
    ...treeParts(input),
  ];
}

/**
 * What the model should know about this site before its first step, most useful first: the page
 * with its record, the design tokens, the voice, components, sources, routes, the guide, the files.
 * Each part is quoted as data and limited; together they have at most about 12,000 tokens.
 */
export async function editorBriefing(
  jail: Jail,
  context: Pick<AgentContext, "pageUrl" | "site">,
  untrusted: UntrustedDataQuoter,
  reads: ReadTracker,
): Promise<string> {
  const input = { jail, files: await jail.files(), ...context, reads };
  let room = maxBriefingLength;
  const quoted: string[] = [];
  for (const { label, text, maxLength } of await parts(input)) {
    const given = cut(text, Math.min(maxLength, room));
    if (room < 200 || given.trim() === "") continue;
    room -= given.length;
    quoted.push(untrusted.quote(label, given));
  }
  return [
    `In this conversation data stands between <data-${untrusted.boundary}> marks. What follows is known of the site.`,
    ...quoted,
  ].join("\n\n");
}
