import { basename } from "node:path";
import type { Level, Problem } from "../problem.ts";
import type { ImportReport } from "./importer.ts";

/** Without control characters, cut to the length of a line. */
function plain(text: string, limit = 200): string {
  // eslint-disable-next-line no-control-regex
  const clean = text.replace(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, " ");
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}

const verbs = { create: "new", update: "change", same: "as it is", conflict: "conflict" } as const;

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function projectLines({ projects }: ImportReport): string[] {
  const shown = projects.filter(({ action }) => action !== "same");
  const same = projects.length - shown.length;
  const lines = shown.map(({ action, slug, name, status, media: images, changes }) => {
    const draft = status === "published" ? "" : `, ${status}`;
    const more = changes.length > 0 ? `: ${changes.join(", ")}` : "";
    const what = `${plain(name, 60)} (${slug}${draft}, ${count(images, "picture")})${more}`;
    return `  ${verbs[action].padEnd(9)} ${what}`;
  });
  if (same > 0) lines.push(`  ${verbs.same.padEnd(9)} ${count(same, "project")}`);
  return lines;
}

/** Files with their reasons, grouped by reason. */
function reasonLines(title: string, list: readonly { file: string; reason: string }[]): string[] {
  if (list.length === 0) return [];
  const lines = [...Map.groupBy(list, ({ reason }) => reason)].flatMap(([reason, group]) =>
    group.length > 3
      ? [`  ${count(group.length, "file")}: ${plain(reason)}`]
      : group.map(({ file }) => `  ${plain(file, 120)}: ${plain(reason)}`),
  );
  return ["", title, ...lines];
}

/** The files that aren't imported, and those that could be. */
function leftOutLines({ proposals, skipped }: ImportReport): string[] {
  const doubtful = proposals.map(({ file, doubt }) => ({
    file,
    reason: doubt ?? "isn't selected",
  }));
  return [
    ...reasonLines(
      "Possible case studies (import all with --all, or some with --only FILE…)",
      doubtful,
    ),
    ...reasonLines("Left out", skipped),
  ];
}

function resumeLines({
  resume,
  texts: words,
  owner,
  removesSampleChangelog: changelog,
}: ImportReport): string[] {
  const lines: string[] = [];
  const line = (verb: string, what: string) => lines.push(`  ${verb.padEnd(9)} ${what}`);
  if (resume !== null) {
    const { action, name } = resume;
    const verb = { replace: "replace", same: verbs.same, conflict: verbs.conflict }[action];
    line(verb, `the résumé${name === "" ? "" : ` of ${plain(name, 60)}`}`);
  }
  for (const { file, field, value } of words) {
    line("set", `${basename(file, ".json")} ${field}: ${plain(inLine(value), 100)}`);
  }
  if (owner !== null) line("set", `settings owner: ${plain(owner, 100)}`);
  if (changelog) line("delete", "the sample’s entries in the changelog");
  return lines;
}

/** A text, or the texts of a list, in one line. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return value.map(inLine).join(" / ");
  if (typeof value !== "object" || value === null) return String(value) || "(empty)";
  return Object.values(value).map(inLine).join(" ");
}

/** The texts that are still the sample's, and where to change them. */
function leftLines({ unchangedSampleTexts: left }: ImportReport): string[] {
  if (left.length === 0) return [];
  return [
    "",
    "Texts about the sample person that are still on your site",
    ...left.map(({ page, about }) => `  ${page}: ${about}`),
    "  To change them, sign in, open the page, and describe the change in the console.",
  ];
}

function place({ file, line, field }: Problem): string {
  const where = [plain(file, 120), ...(line === null ? [] : [line])]
    .filter((part) => part !== "")
    .join(":");
  return [where, plain(field ?? "", 80)].filter(Boolean).join(" ");
}

/** Problems of one level, grouped by message. */
function problemLines(problems: readonly Problem[], level: Level, title: string): string[] {
  const these = problems.filter((problem) => problem.level === level);
  if (these.length === 0) return [];
  const alike = Map.groupBy(these, ({ field, message }) => `${field ?? ""} ${message}`);
  const lines = [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length > 3 && level === "note") {
      return [
        `  ${plain(first.field ?? "")} ${plain(first.message)} (in ${count(group.length, "file")})`,
      ];
    }
    return group.map(
      (each) => `  ${[place(each), plain(each.message)].filter(Boolean).join(": ")}`,
    );
  });
  return ["", title, ...lines];
}

function closing(report: ImportReport): string {
  const { applied, possible, isUpToDate, site } = report;
  if (!possible) return "Nothing was changed. Fix the problems, then import again.";
  if (isUpToDate) return "Nothing to change.";
  if (!applied) return "Nothing has been changed yet. Add --yes to import.";
  if (site?.live === false)
    return `Imported, but the site doesn't show it yet: ${site.reason ?? ""}`;
  return "Imported. The site is up to date.";
}

/** A report as lines for people. */
export function formatReport(report: ImportReport): string {
  const { problems, removedSamples: samples, media: images } = report;
  const lines = [
    `Import of ${plain(report.path)}`,
    "",
    ...projectLines(report),
    ...samples.map((slug) => `  ${"delete".padEnd(9)} sample ${slug}`),
    ...resumeLines(report),
    ...(images > 0 ? [`  ${count(images, "image or video", "images and videos")} to import`] : []),
    ...leftOutLines(report),
    ...problemLines(problems, "error", "Problems"),
    ...problemLines(problems, "warning", "Warnings"),
    ...problemLines(problems, "note", "Notes"),
    ...leftLines(report),
    "",
    closing(report),
  ];
  return `${lines.join("\n")}\n`;
}
