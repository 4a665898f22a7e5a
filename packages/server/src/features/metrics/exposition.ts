/** One value of a metric. */
export interface MetricSample {
  /** What of a histogram it is; none for other types. */
  suffix?: "_bucket" | "_sum" | "_count";
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric with all its values. */
export interface MetricFamily {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  samples: MetricSample[];
}

/** The media type of `formatExposition`. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Adds a label to each value. */
export function labelFamilies(
  families: readonly MetricFamily[],
  label: Readonly<Record<string, string>>,
): MetricFamily[] {
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({
      ...sample,
      labels: { ...label, ...sample.labels },
    })),
  }));
}

/** Joins the metrics of several processes: each name once, as the format requires. */
export function joinFamilies(lists: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const joined = new Map<string, MetricFamily>();
  for (const family of lists.flat()) {
    const known = joined.get(family.name);
    if (known === undefined) joined.set(family.name, { ...family, samples: [...family.samples] });
    else known.samples.push(...family.samples);
  }
  return [...joined.values()];
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
}

function formatLabels(labels: MetricSample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function formatValue(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

/** The text that Prometheus reads, version 0.0.4. */
export function formatExposition(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ({ suffix = "", labels, value }) =>
        `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}`,
    ),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}
