import { titleOf } from "../checks/catalog.ts";
import { formatCounts } from "./pretty.ts";
import { htmlStyle } from "./html-style.ts";
import {
  absolute,
  byWeight,
  countFindings,
  oneLine,
  type QaReport,
  type ReportFinding,
} from "./report.ts";

const maxPlaces = 20;
const maxTextLength = 400;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text of a page as HTML, on one line and without control characters. */
const escaped = (text: string, max = maxTextLength): string =>
  oneLine(text, max).replace(/[&<>"']/g, (character) => entities[character] ?? "");

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A link, for addresses of the web only. */
function linkTo(site: string, address: string): string {
  const url = absolute(site, address);
  const text = escaped(address, 200);
  return /^https?:/.test(url)
    ? `<a href="${escaped(url, 4000)}" rel="noopener noreferrer">${text}</a>`
    : text;
}

function labelOf({ severity, critical, confidence }: ReportFinding): {
  name: string;
  kind: string;
} {
  if (confidence === "review") return { name: "Needs review", kind: "review" };
  if (critical) return { name: "Critical", kind: "error" };
  return {
    name: { error: "Error", warning: "Warning", notice: "Notice" }[severity],
    kind: severity,
  };
}

function placesOf(site: string, finding: ReportFinding): string {
  const { pageUrl, occurrences, occurrenceCount, pageCount } = finding;
  const places =
    occurrences.length > 0 ? occurrences : [{ page: pageUrl, selector: "", line: null, text: "" }];
  const items = places.slice(0, maxPlaces).map(({ page, selector, line, text }) => {
    const at = line === null ? "" : ` <span>line ${line}</span>`;
    const where = selector === "" ? "" : ` <code>${escaped(selector, 200)}</code>`;
    const what = text === "" ? "" : ` <q>${escaped(text, 100)}</q>`;
    return `<li>${linkTo(site, page)}${at}${where}${what}</li>`;
  });
  const more = Math.max(occurrenceCount, places.length) - items.length;
  if (more > 0) items.push(`<li>and ${plural(more, "more place")}</li>`);
  const list = `<ul>${items.join("")}</ul>`;
  if (places.length === 1 && more <= 0) return list;
  const count = Math.max(occurrenceCount, places.length);
  const pages = pageCount > 1 ? ` on ${plural(pageCount, "page")}` : "";
  return `<details><summary>${plural(count, "place")}${pages}</summary>${list}</details>`;
}

const webp = /^data:image\/webp;base64,[\w+/=]+$/;

/** What is left for the images of the file, whatever the report contains. */
interface ImageBudget {
  images: number;
  /** Characters of all data URLs. */
  length: number;
}

/** Takes an image from the budget; null if it isn't one, or if nothing is left. */
function takeImage(image: unknown, budget: ImageBudget): string | null {
  if (typeof image !== "string" || image.length > budget.length || budget.images <= 0) return null;
  if (!webp.test(image)) return null;
  budget.images -= 1;
  budget.length -= image.length;
  return image;
}

function figureOf({ screenshot, evidence, message }: ReportFinding, budget: ImageBudget): string {
  const image = takeImage(screenshot?.image ?? evidence["screenshot"], budget);
  if (image === null) return "";
  const alt = `alt="Screenshot of the place: ${escaped(message, 120)}"`;
  if (!screenshot) return `<figure><img src="${image}" ${alt}></figure>`;
  const { width, height, mark } = screenshot;
  const size = `width="${Math.round(width)}" height="${Math.round(height)}"`;
  const style = (["left", "top", "width", "height"] as const)
    .map((name) => `${name}:${Number(mark[name])}%`)
    .join(";");
  return `<figure><img src="${image}" ${alt} ${size}><span style="${style}"></span></figure>`;
}

function findingOf(site: string, finding: ReportFinding, budget: ImageBudget): string {
  const { name, kind } = labelOf(finding);
  const { check, message, evidence, source } = finding;
  const help = evidence["helpUrl"];
  const more =
    typeof help === "string" && help.startsWith("https://")
      ? ` · <a href="${escaped(help, 500)}" rel="noopener noreferrer">About this rule</a>`
      : "";
  return `<article class="${kind}">
<h3><b>${name}</b> ${escaped(titleOf(check))}</h3>
<p>${escaped(message, 1000)}</p>
${figureOf(finding, budget)}${placesOf(site, finding)}
${source === undefined ? "" : `<p class="source">Source: <code>${escaped(source, 400)}</code></p>\n`}<p class="check"><code>${escaped(check)}</code>${more}</p>
</article>`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The findings of each category, the one with the most severe ones first. */
function sectionsOf({ site, findings }: QaReport): string {
  const budget = { images: 60, length: 4_000_000 };
  const groups = Map.groupBy(byWeight(findings), ({ category }) => category);
  return [...groups]
    .map(([category, group]) => {
      const head = `<h2>${escaped(capitalized(category))} <small>${group.length}</small></h2>`;
      return `<section>${head}\n${group.map((one) => findingOf(site, one, budget)).join("\n")}</section>`;
    })
    .join("\n");
}

function notesOf({ skippedChecks, isComplete, baselineCount }: QaReport): string {
  const notes = [
    ...(isComplete ? [] : ["The limits ended the run before everything was checked."]),
    ...(baselineCount > 0
      ? [`Left out because of the baseline: ${plural(baselineCount, "finding")}.`]
      : []),
    ...skippedChecks.map(({ what, why }) => `Not checked: ${escaped(what)}: ${escaped(why)}`),
  ];
  if (notes.length === 0) return "";
  const items = notes.map((note) => `<li>${note}</li>`).join("");
  return `<section><h2>Not checked</h2><ul class="notes">${items}</ul></section>`;
}

function countsOf({ findings }: QaReport): string {
  const counts = countFindings(findings);
  return (["error", "warning", "notice"] as const)
    .map((severity) => `<li class="${severity}">${plural(counts[severity], severity)}</li>`)
    .join("");
}

/**
 * The report as one HTML file for people: without scripts and without requests to any server. Texts
 * of the checked site are escaped, and a policy lets nothing run that would slip through.
 */
export function toHtml(report: QaReport): string {
  const { site, at, tool, stats, findings } = report;
  const seen = stats
    ? ` · ${plural(stats.pages, "page")}, ${plural(stats.links, "link")}, ${(stats.ms / 1000).toFixed(1)} s`
    : "";
  const host = URL.parse(site)?.host ?? site;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escaped(`${formatCounts(findings)} on ${host}`)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header>
<h1>${escaped(host)}</h1>
<p>${linkTo(site, site)} · <time datetime="${escaped(at)}">${escaped(at.slice(0, 16).replace("T", " "))} UTC</time>${seen}</p>
<ul class="counts">${countsOf(report)}</ul>
</header>
<main>
${findings.length === 0 ? "<p>Nothing found.</p>" : sectionsOf(report)}
${notesOf(report)}
</main>
<footer><p>${escaped(tool.name)} ${escaped(tool.version)}</p></footer>
</body>
</html>
`;
}
