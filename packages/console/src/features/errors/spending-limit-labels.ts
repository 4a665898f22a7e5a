const spans: Readonly<Record<string, string>> = {
  run: "This run",
  day: "Today",
  month: "This month",
};

function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** "12.4 of 12 spent", "410,000 of 400,000 tokens"; null if either value is unknown. */
function part(spent: unknown, ceiling: unknown, name: "tokens" | "cost"): string[] {
  const of = amount(field(ceiling, name));
  const used = amount(field(spent, name));
  if (of === null || used === null) return [];
  if (name === "tokens")
    return [`${used.toLocaleString("en")} of ${of.toLocaleString("en")} tokens`];
  return [`${used.toFixed(2)} of ${of.toFixed(2)} spent`];
}

/** The limit reached according to an error, with its values; null if it has none. */
export function spendingLimitLabel(details: unknown): string | null {
  const span = spans[String(field(details, "limit"))];
  if (span === undefined) return null;
  const spent = field(details, "spent");
  const ceiling = field(details, "ceiling");
  const parts = [...part(spent, ceiling, "cost"), ...part(spent, ceiling, "tokens")];
  return parts.length === 0 ? null : `${span}: ${parts.join(", ")}.`;
}
