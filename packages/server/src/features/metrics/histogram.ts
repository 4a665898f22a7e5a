import type { MetricFamily, MetricSample } from "./exposition.ts";

export interface HistogramOptions<Label extends string> {
  name: string;
  help: string;
  labels: readonly Label[];
  /** Upper bounds, ascending, in the metric's unit. */
  buckets: readonly number[];
}

/** Counts observations in buckets, with what they add up to. */
export interface Histogram {
  /** `values` belong to the labels in turn; callers take them from a fixed set, so that few exist. */
  observe(values: readonly string[], value: number): void;
  family(): MetricFamily;
}

interface Series {
  values: readonly string[];
  /** Observations in each bucket alone; the last is above all bounds. */
  counts: number[];
  sum: number;
}

/** Values in the form of the format: each bucket includes those below it. */
function samplesOf(
  { values, counts, sum }: Series,
  { labels, buckets }: HistogramOptions<string>,
): MetricSample[] {
  const own = Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""]));
  let total = 0;
  const found = counts.map((count, at): MetricSample => {
    total += count;
    const le = at < buckets.length ? String(buckets[at]) : "+Inf";
    return { suffix: "_bucket", labels: { ...own, le }, value: total };
  });
  return [
    ...found,
    { suffix: "_sum", labels: own, value: sum },
    { suffix: "_count", labels: own, value: total },
  ];
}

/** Makes an empty histogram. An observation costs a look-up and a few comparisons. */
export function makeHistogram<Label extends string>(options: HistogramOptions<Label>): Histogram {
  const { name, help, buckets } = options;
  const series = new Map<string, Series>();
  return {
    observe(values, value) {
      const key = values.join("\n");
      let found = series.get(key);
      if (found === undefined) {
        found = { values, counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
        series.set(key, found);
      }
      let at = 0;
      while (at < buckets.length && value > (buckets[at] ?? Infinity)) at += 1;
      found.counts[at] = (found.counts[at] ?? 0) + 1;
      found.sum += value;
    },
    family: () => ({
      name,
      help,
      type: "histogram",
      samples: [...series.values()].flatMap((one) => samplesOf(one, options)),
    }),
  };
}
