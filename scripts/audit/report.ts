import { missingPath } from "./pages.ts";
import { type Miss, missesOf, type PageFigures, targets } from "./targets.ts";

/** Under what the figures were taken. */
export interface AuditEnvironment {
  /** What was measured, in words. */
  what: string;
  date: string;
  runs: number;
  machine: string;
  browser: string;
  lighthouse: string;
  /** Lighthouse's own figure for the speed of the machine, the median of all runs. */
  benchmark: number;
}

const head = [
  "Page",
  "Perf.",
  "A11y",
  "Best pr.",
  "SEO",
  "LCP",
  "CLS",
  "TBT",
  "Bytes",
  "Requests",
  "at 1440 px",
  "HTML gzip",
  "axe",
  "Overflow",
];

const kilo = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

/** A path as the table shows it: what is not there is the 404 page. */
export function nameOf({ path, status }: Pick<PageFigures, "path" | "status">): string {
  return path === missingPath ? `${status} page` : path;
}

function rowOf(page: PageFigures): string[] {
  const [performance, accessibility, practices, seo] = page.scores.map(String);
  return [
    nameOf(page),
    performance ?? "–",
    accessibility ?? "–",
    practices ?? "–",
    seo === undefined ? "–" : page.isNoindex ? `${seo} ¹` : seo,
    ...(page.scores.length === 0
      ? ["–", "–", "–", "–", "–"]
      : [
          `${(page.lcp / 1000).toFixed(2)} s`,
          page.cls.toFixed(3),
          `${Math.round(page.tbt)} ms`,
          kilo(page.bytes),
          String(page.requests),
        ]),
    `${kilo(page.wideBytes)}, ${page.wideRequests}`,
    kilo(page.htmlBytes),
    String(page.axe.length),
    String(page.overflow.length),
  ];
}

/** The figures of all pages in columns for a terminal. */
export function plainTable(pages: readonly PageFigures[]): string {
  const rows = [head, ...pages.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
  return rows.map((row) => line(row).join("  ")).join("\n");
}

const escaped = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function markdownTable(rows: readonly string[][], alignRight: boolean): string {
  const [first = [], ...rest] = rows;
  const rule = first.map((_, at) => (at > 0 && alignRight ? "--:" : "---"));
  return [first, rule, ...rest].map((row) => `| ${row.map(escaped).join(" | ")} |`).join("\n");
}

/** What is missed, a line each. */
export function missLines(misses: readonly Miss[]): string[] {
  return misses.map(
    ({ path, target, wanted, found }) =>
      `${path === missingPath ? "404 page" : path}: ${target} is to be ${wanted}, found ${found}`,
  );
}

function targetTable(pages: readonly PageFigures[]): string {
  const misses = missesOf(pages);
  const hasLighthouse = pages.some(({ scores }) => scores.length > 0);
  const rows = targets.map(({ name, wanted, by }) => {
    if (by === "lighthouse" && !hasLighthouse) return [name, wanted, "not measured"];
    const missed = misses.filter(({ target }) => target === name).length;
    return [name, wanted, missed === 0 ? "met" : `missed by ${missed} of ${pages.length} pages`];
  });
  return markdownTable([["Target", "Wanted", "Here"], ...rows], false);
}

const withoutLighthouse =
  "Lighthouse was left out (`--runs 0`): its columns are empty and its targets not measured.";

function withLighthouse({ lighthouse, benchmark, runs }: AuditEnvironment): string {
  return `Lighthouse ${lighthouse} as it comes: an emulated mid-range phone, simulated slow 4G (150 ms, 1.6 Mbit/s), processor slowed four times. It rates this machine ${Math.round(benchmark)} in the median (a laptop with nothing else to do gets 1500 and more): the lower, the longer the times come out. It runs ${runs} times a page, each with a fresh browser, page after page and then all over again, so that a busy minute does not hit one page alone. Scores and figures are the median of the runs, each figure for itself.`;
}

/** The whole document. */
export function markdownReport(pages: readonly PageFigures[], how: AuditEnvironment): string {
  const misses = missLines(missesOf(pages));
  return `# The site, measured

${how.what}, ${pages.length} pages, ${how.date}. Written by \`npm run audit:site\`, which measures all of it again and fails where a target is missed.

## Targets

${targetTable(pages)}
${misses.length === 0 ? "" : `\nMissed:\n\n${misses.map((line) => `- ${escaped(line)}`).join("\n")}\n`}
## Pages

${markdownTable([head, ...pages.map(rowOf)], true)}

¹ The page asks not to be listed, so Lighthouse is not asked whether it can be (\`is-crawlable\`, \`robots-txt\`); the rest of its SEO counts. Nor is it asked about the status of the 404 page (\`http-status-code\`, and \`errors-in-console\`, where the browser says the same).

## How

- ${how.machine}; ${how.browser}.
- ${how.runs === 0 ? withoutLighthouse : withLighthouse(how)}
- A fresh instance is installed and its site served by the product's own web process. Pages are all HTML files of the release; the 404 page is what an address that is not there gets.
- Bytes and requests are those of the first load with nothing cached, as Lighthouse sees them on its phone, and as a window of 1440 × 900 px makes them; targets go by the larger. A browser with tabs asks for the icon, too: one request, 1 kB. HTML is compressed with gzip by the audit itself.
- axe looks at 390 and 1440 px in both themes; each broken rule counts once per width and theme. At 320 px each element is asked whether it sticks out of the window, is cut, or is narrower than what it holds; what scrolls by itself, or is pulled over an edge by a negative margin, does not count.

## Other sites

\`npm run audit:site -- --dir path/to/dist\` measures a built site in a folder in the same way, \`--url https://example.com\` one that is already served; \`--out file.md\` keeps the document.

Astro's own \`portfolio\` example, the nearest peer, can't be installed from npm: its package there (\`@example/portfolio\`) does not exist, and \`npm create astro@latest -- --template portfolio\` loads it from GitHub, for neither \`create-astro\` nor \`astro\` carries it. So it is not measured here. Where GitHub can be reached:

\`\`\`sh
npm create astro@latest peer -- --template portfolio --install --no-git --yes
npm --prefix peer run build
npm run audit:site -- --dir peer/dist --out peer.md
\`\`\`
`;
}
