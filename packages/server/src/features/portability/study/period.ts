import { isOngoing } from "../ongoing.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";
import { asText } from "./values.ts";

/** As the site's pages say it of what has no end yet. */
const now = "now";

/** The year of a date, or `now` for an end that says so; nothing where neither is said. */
function readYear(frontMatter: FrontMatterReader, meaning: "start" | "end"): string {
  const text = (frontMatter.has(meaning) ? (frontMatter.read(meaning, asText) ?? "") : "").trim();
  if (meaning === "end" && isOngoing(text)) return now;
  const year = /(?<!\d)[12]\d{3}(?!\d)/.exec(text)?.[0] ?? "";
  if (year === "" && text !== "") {
    frontMatter.report(meaning, "has no year such as 2026, so it's left out", { level: "warning" });
  }
  return year;
}

/** When it was, in years: as it says, else from its start and end, else that of its `date`. */
export function readPeriod(
  frontMatter: FrontMatterReader,
  date: string | null,
): string | undefined {
  if (frontMatter.has("period")) return frontMatter.read("period", asText);
  const [start, end] = [readYear(frontMatter, "start"), readYear(frontMatter, "end")];
  const isOver = end !== now;
  if (start !== "" && start !== end) return [start, end].filter(Boolean).join(" – ");
  return start || (isOver ? end : "") || date?.slice(0, 4) || undefined;
}
