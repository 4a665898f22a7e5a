import { toCsv } from "./csv.ts";
import { toHtml } from "./html.ts";
import { toJson } from "./json.ts";
import { toJunit } from "./junit.ts";
import { toPretty } from "./pretty.ts";
import type { QaReport } from "./report.ts";
import { toSarif } from "./sarif.ts";

/**
 * JSON without raw control or bidirectional characters, which a terminal would obey: it parses to
 * the same data.
 */
const written = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(
    /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}\n`;

/** The writers of a report, by format. */
export const formats = {
  json: {
    type: "application/json; charset=utf-8",
    ending: "json",
    write: (report: QaReport): string => written(toJson(report)),
  },
  sarif: {
    type: "application/sarif+json; charset=utf-8",
    ending: "sarif",
    write: (report: QaReport): string => written(toSarif(report)),
  },
  junit: { type: "application/xml; charset=utf-8", ending: "xml", write: toJunit },
  csv: { type: "text/csv; charset=utf-8; header=present", ending: "csv", write: toCsv },
  html: { type: "text/html; charset=utf-8", ending: "html", write: toHtml },
  pretty: { type: "text/plain; charset=utf-8", ending: "txt", write: toPretty },
} as const;
