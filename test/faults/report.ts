import type { Journal } from "./journal.ts";
import { table } from "./table.ts";

/** How many requests of each kind were answered. */
export function requestTable({ counts }: Journal): string {
  const rows = [...counts].map(([kind, { done, refused, unanswered }]) => {
    return [kind, done, refused, unanswered];
  });
  return table(["Request", "Done", "Refused", "No answer"], rows);
}

/** The product's last warnings and errors. */
export function complaints(log: string): string {
  const lines = log.split("\n").filter((line) => /"level":(40|50|60)/.test(line));
  const reported = lines.filter((line) => !line.includes("an email couldn't be delivered"));
  const last = reported.slice(-30).map((line) => line.slice(0, 1200));
  return last.join("\n");
}
