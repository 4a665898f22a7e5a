import { describe, expect, test } from "vitest";
import type { Bench } from "../catalog.ts";
import { type Figure, isMet, median, quantile, readFigures } from "../support/figures.ts";
import { growthChart } from "./chart.ts";
import { benchmarksDocument } from "./markdown.ts";
import { type BenchResult, mergeResult } from "./results.ts";

const figure = (more: Partial<Figure>): Figure => ({
  id: "one",
  what: "edit → preview",
  unit: "ms",
  values: [10, 30, 20],
  ...more,
});

const quiet = { others: 0, processors: 2, before: 0.1, after: 1.2 };
const busy = { ...quiet, others: 1.5 };

const result = (figures: Figure[], load = quiet, args?: string): BenchResult => ({
  runs: [
    { at: "2026-11-29T08:00:00.000Z", seconds: 61, load, ...(args !== undefined && { args }) },
  ],
  figures,
});

const bench: Bench = {
  name: "growth",
  title: "As a site grows",
  about: "What is compared.",
  program: "growth/run.ts",
  quickArgs: [],
};

const document = (one: BenchResult, reasons: Record<string, string> = {}) =>
  benchmarksDocument(
    { machine: "2 processors", benches: { growth: one } },
    { benches: [bench, { ...bench, name: "idle", title: "Memory" }], reasons, charts: {} },
  );

describe("figures", () => {
  test("have the middle of their rounds, and targets in both directions", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 2])).toBe(1.5);
    expect(median([])).toBeNaN();
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(quantile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(quantile([], 0.5)).toBeNaN();
    expect(isMet(figure({}))).toBeUndefined();
    expect(isMet(figure({ max: 20 }))).toBe(true);
    expect(isMet(figure({ max: 19 }))).toBe(false);
    expect(isMet(figure({ min: 21 }))).toBe(false);
    expect(isMet(figure({ values: [], max: 1 }))).toBe(false);
  });

  test("are read from the last line that has them", () => {
    const lines = [
      '{"rounds":3}',
      '{"figures":[]}',
      `{"figures":${JSON.stringify([figure({})])}}`,
      "",
    ];
    expect(readFigures(lines.join("\n"))).toEqual([figure({})]);
    expect(readFigures("It failed.")).toBeUndefined();
  });
});

describe("the document", () => {
  test("has each target with what was wanted, got, and missed, and why", () => {
    const list = [figure({ max: 20 }), figure({ id: "two", what: "publish", max: 5 })];
    const text = document(result(list), { "growth/two": "It waits for the disk." });
    expect(text).toContain("1 of 2 are met.");
    expect(text).toContain("| edit → preview | ≤ 20 ms | 20 ms | 10 – 30 | met |");
    expect(text).toContain(
      "| publish | ≤ 5 ms | 20 ms | 10 – 30 | **missed** → It waits for the disk. |",
    );
    expect(text).toContain("- Memory: `npm run bench -- idle`");
    expect(text).not.toContain("busy with other programs");
  });

  test("says that the machine was busy, which explains times but neither ratios nor sizes", () => {
    const missed = { max: 5 };
    const list = [figure(missed), figure({ id: "ratio", what: "ratio", unit: "×", ...missed })];
    const text = document(result(list, busy));
    expect(text).toContain("busy with other programs");
    expect(text).toMatch(/edit → preview .*missed\*\* → other programs used 1\.5 of 2 processors/);
    expect(text).toMatch(/ratio .*\*\*missed\*\* → the rounds differ 3-fold \|/);
    const steady = document(result([figure({ unit: "×", values: [9, 8], ...missed })], busy));
    expect(steady).toMatch(/\*\*missed\*\* \|/);
  });

  test("has figures of several sizes side by side", () => {
    const sizes = [6, 1000].map((size) =>
      figure({ id: `p-${size}`, column: `${size} projects`, values: [size] }),
    );
    const text = document(result(sizes));
    expect(text).toContain("| Median (spread) | 6 projects | 1000 projects |");
    expect(text).toContain("| edit → preview (ms) | 6 | 1,000 |");
  });

  test("says what couldn't be measured", () => {
    const failed = { ...result([]), failure: "nginx isn't installed." };
    expect(document(failed)).toContain("Not measured: nginx isn't installed.");
  });
});

describe("results", () => {
  const [one, two] = [figure({}), figure({ id: "two" })];

  test("of a run with its own arguments replace the same figures only", () => {
    const later = result([figure({ values: [1] })], quiet, "--sizes=6");
    const merged = mergeResult(result([one, two]), later);
    expect(merged.figures.map(({ id, values }) => [id, median(values)])).toEqual([
      ["two", 20],
      ["one", 1],
    ]);
    expect(merged.runs).toHaveLength(2);
  });

  test("of a usual run, and of the same figures, replace all", () => {
    expect(mergeResult(result([one, two]), result([one]))).toEqual(result([one]));
    const later = result([two, one], quiet, "--rounds=1");
    expect(mergeResult(result([one, two]), later)).toEqual(later);
    expect(mergeResult(undefined, later)).toEqual(later);
  });
});

describe("the chart", () => {
  test("draws a line for Vitrine and each peer, with the targets of the measured sizes", () => {
    const list = [6, 1000].flatMap((size) => [
      figure({ id: `preview-${size}`, values: [size] }),
      figure({ id: `build-${size}-astro`, values: [size * 2] }),
      figure({ id: `publish-${size}`, values: [size] }),
    ]);
    const svg = growthChart(list);
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(svg.match(/<g class="own"><path class="line"/g)?.length).toBe(3);
    expect(svg).toContain("Astro, whole build");
    expect(svg).not.toContain("Hugo");
    expect(svg).not.toContain("NaN");
  });

  test("draws nothing of what wasn't measured", () => {
    expect(growthChart([])).not.toContain("NaN");
  });
});
