import { goesOn } from "../going-on.ts";
import type { Said } from "./said.ts";
import { asText } from "./values.ts";

/** As the site's pages say it of what has no end yet. */
const now = "now";

/** The year of a date, or `now` for an end that says so; nothing where neither is said. */
function readYear(said: Said, meaning: "start" | "end"): string {
  const text = (said.has(meaning) ? (said.read(meaning, asText) ?? "") : "").trim();
  if (meaning === "end" && goesOn(text)) return now;
  const year = /(?<!\d)[12]\d{3}(?!\d)/.exec(text)?.[0] ?? "";
  if (year === "" && text !== "") {
    said.tell(meaning, "has no year such as 2026: left out", { level: "warning" });
  }
  return year;
}

/** When it was, in years: as it says, else from its start and end, else that of its `date`. */
export function readPeriod(said: Said, date: string | null): string | undefined {
  if (said.has("period")) return said.read("period", asText);
  const [start, end] = [readYear(said, "start"), readYear(said, "end")];
  const isOver = end !== now;
  if (start !== "" && start !== end) return [start, end].filter(Boolean).join(" – ");
  return start || (isOver ? end : "") || date?.slice(0, 4) || undefined;
}
