import type { Bench } from "../catalog.ts";
import { type Figure, isMet, median } from "../support/figures.ts";
import type { Load } from "../support/load.ts";
import type { BenchResult, BenchRun, Results } from "./results.ts";

const maxDisagreement = 3;
/** Above this, in processors, other programs make times longer than they are. */
const busyProcessors = 0.2;

function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function amount(value: number, { unit }: Figure): string {
  const space = unit === "" || unit === "×" || unit === "%" ? "" : " ";
  return `${number(value)}${space}${unit}`;
}

function spread({ values }: Figure): string {
  if (values.length < 2) return "one round";
  return `${number(Math.min(...values))} – ${number(Math.max(...values))}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const marks = head.map((title, at) => (at === 0 || title === "Result" ? "---" : "--:"));
  return [row(head), `| ${marks.join(" | ")} |`, ...rows.map(row)].join("\n");
}

/** The load of the busiest of the runs. */
function loadOf({ runs }: BenchResult): Load {
  const [first, ...more] = runs.map(({ load }) => load);
  if (first === undefined) throw new Error("A result without a run.");
  return more.reduce((most, load) => (load.others > most.others ? load : most), first);
}

/** The run that measured a figure, or all of them if that isn't known. */
function runsOf({ runs }: BenchResult, { at }: Figure): BenchRun[] {
  const own = runs.filter((run) => run.at === at);
  return own.length > 0 ? own : runs;
}

const isBusy = ({ others }: Load) => others > busyProcessors;

function loadText(load: Load): string {
  const { others, processors, before, after } = load;
  return `Other programs used ${number(others)} of ${processors} processors; load average ${number(before)} before, ${number(after)} after.`;
}

/** What was measured, with its size. */
const titleOf = ({ what, column }: Figure) => (column === undefined ? what : `${what}, ${column}`);

function wanted(figure: Figure): string {
  return figure.max === undefined
    ? `≥ ${amount(figure.min ?? 0, figure)}`
    : `≤ ${amount(figure.max, figure)}`;
}

/** Whether other programs make the figure worse: times and rates, but not ratios and sizes. */
const suffersFromLoad = ({ unit }: Figure) => ["ms", "s", "/s", "/min"].includes(unit);

/** How many times the lowest round the highest one is, if that is so much that the median says little. */
function disagreement({ values }: Figure): string | undefined {
  const times = Math.max(...values) / Math.min(...values);
  if (values.length < 2 || !Number.isFinite(times) || times < maxDisagreement) return undefined;
  return `the rounds differ ${number(times)}-fold`;
}

function verdict(figure: Figure, result: BenchResult, reason: string | undefined): string {
  const load = loadOf({ ...result, runs: runsOf(result, figure) });
  const differ = isBusy(load) ? disagreement(figure) : undefined;
  if (isMet(figure)) return differ === undefined ? "met" : `met, but ${differ}`;
  const busy =
    suffersFromLoad(figure) && isBusy(load)
      ? `other programs used ${number(load.others)} of ${load.processors} processors`
      : undefined;
  const why = [busy, differ, reason].filter((text) => text !== undefined).join("; ");
  return why === "" ? "**missed**" : `**missed** → ${why}`;
}

function targetRows(name: string, result: BenchResult, reasons: Record<string, string>) {
  const withTarget = result.figures.filter((figure) => isMet(figure) !== undefined);
  return withTarget.map((figure) => [
    titleOf(figure),
    wanted(figure),
    amount(median(figure.values), figure),
    spread(figure),
    verdict(figure, result, reasons[`${name}/${figure.id}`]),
  ]);
}

function pivoted(figures: readonly Figure[]): string {
  const columns = [...new Set(figures.map(({ column = "" }) => column))];
  const rows = [...Map.groupBy(figures, ({ what, unit }) => `${what} (${unit})`)];
  const cell = (figure: Figure | undefined) => {
    if (figure === undefined) return "–";
    const middle = number(median(figure.values));
    return figure.values.length < 2 ? middle : `${middle} (${spread(figure)})`;
  };
  return table(
    ["Median (spread)", ...columns],
    rows.map(([what, list]) =>
      [what].concat(
        columns.map((column) => cell(list.find((one) => (one.column ?? "") === column))),
      ),
    ),
  );
}

function plain(figures: readonly Figure[]): string {
  return table(
    ["Measured", "Median", "Spread", "Rounds"],
    figures.map((figure) => [
      figure.what,
      amount(median(figure.values), figure),
      spread(figure),
      String(figure.values.length),
    ]),
  );
}

function runText(name: string, { at, seconds, args, load }: BenchRun): string {
  const command = `npm run bench -- ${name}${args === undefined ? "" : ` --args="${args}"`}`;
  const when = `${at.slice(0, 16).replace("T", " ")} UTC`;
  return `\`${command}\`, ${when}, ${Math.ceil(seconds / 60)} min. ${loadText(load)}`;
}

function section({ name, title, about }: Bench, result: BenchResult, chart: string | undefined) {
  const { figures, failure, runs } = result;
  const hasColumns = figures.some(({ column }) => column !== undefined);
  return [
    `## ${title}`,
    about,
    ...(chart === undefined ? [] : [`![${title}](${chart})`]),
    ...(failure === undefined ? [] : [`Not measured: ${failure}`]),
    ...(figures.length === 0 ? [] : [hasColumns ? pivoted(figures) : plain(figures)]),
    runs.map((run) => runText(name, run)).join("\n\n"),
  ].join("\n\n");
}

export interface DocumentOptions {
  benches: readonly Bench[];
  /** By the bench's name and the figure's id. */
  reasons: Record<string, string>;
  /** Charts by the name of their bench: addresses relative to the document. */
  charts: Record<string, string>;
}

/** The text of docs/benchmarks.md. */
export function benchmarksDocument(results: Results, options: DocumentOptions): string {
  const measured = options.benches.flatMap((bench) => {
    const result = results.benches[bench.name];
    return result === undefined ? [] : [{ bench, result }];
  });
  const targets = measured.flatMap(({ bench, result }) =>
    targetRows(bench.name, result, options.reasons),
  );
  const missed = targets.filter(([, , , , text = ""]) => !text.startsWith("met")).length;
  const isAnyBusy = measured.some(({ result }) => isBusy(loadOf(result)));
  const missing = options.benches.filter(({ name }) => results.benches[name] === undefined);
  const parts = [
    "# Benchmarks",
    "Generated by `npm run bench`. Every figure is the median of its rounds, with the lowest and the highest; Vitrine and its peer take turns in each round, and a ratio is the median of those of each round. `npm run bench -- NAME…` measures some again, `--quick` tries all in few minutes and writes nothing, `--list` names them.",
    `Measured on ${results.machine}.`,
    ...(isAnyBusy
      ? [
          "**The machine was busy with other programs.** Times are longer and rates are lower than they would be; ratios and processor times suffer less. Each section says how busy it was.",
        ]
      : []),
    "## Targets",
    `${targets.length - missed} of ${targets.length} are met.`,
    table(["Measured", "Wanted", "Got", "Spread", "Result"], targets),
    ...measured.map(({ bench, result }) => section(bench, result, options.charts[bench.name])),
    "## Not measured here",
    [
      ...missing.map(({ name, title }) => `- ${title}: \`npm run bench -- ${name}\``),
      "- Accessibility findings against W3C's ACT test cases, which aren't part of the project: `node bench/act/run.ts FOLDER`",
      "- Texts written by real models: `node bench/agent/run.ts --real`",
    ].join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}
