/** What a builder is asked, as one line of JSON on its stdin. */
export interface BuilderJob {
  baseUrl: string;
  /** Stands for the code that draws the résumé's file and all that compiles it. */
  resumeCode: string;
  /** Whether it is to note where the elements of the pages come from. */
  tags: boolean;
  /** How many share images it may draw that are not published yet. */
  shareImages: number;
  /** The parts of the live index for searching, which are taken from there; null: it makes no index. */
  searchParts: readonly string[] | null;
  /** Whether the compiled code of the site lies beside its sources. */
  compiled: boolean;
  /** Whether the compiled code is to be left in the output, for builds to come. */
  keepCompiled: boolean;
}

/** What a builder reports, one line of JSON each. It runs the site's code, so none of it is trusted. */
export type BuilderMessage =
  | { type: "ready" }
  /** The warm-up did not work; the builder takes a job all the same, a little slower. */
  | { type: "cold"; reason: string }
  /** The compiled code did not do; the builder compiles the site after all. */
  | { type: "unusable"; reason: string }
  | { type: "done"; durationMs: number; reusedCode: boolean; keptSearchParts: string[] }
  | { type: "failed"; errors: string[] };

const maxLine = 64 * 1024;
const maxErrors = 20;
const maxErrorLength = 600;
const maxSearchParts = 100;

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Reads a line from a builder; undefined when it is not a message. Texts come back bounded. */
export function readBuilderMessage(line: string): BuilderMessage | undefined {
  if (line.length > maxLine) return undefined;
  let value: Record<string, unknown>;
  try {
    value = Object(JSON.parse(line));
  } catch {
    return undefined;
  }
  switch (value["type"]) {
    case "ready":
      return { type: "ready" };
    case "cold":
    case "unusable":
      return { type: value["type"], reason: String(value["reason"]).slice(0, maxErrorLength) };
    case "done":
      return {
        type: "done",
        durationMs: Number(value["durationMs"]) || 0,
        reusedCode: value["reusedCode"] === true,
        keptSearchParts: textsIn(value["keptSearchParts"]).slice(0, maxSearchParts),
      };
    case "failed": {
      const errors = textsIn(value["errors"]).slice(0, maxErrors);
      return { type: "failed", errors: errors.map((text) => text.slice(0, maxErrorLength)) };
    }
    default:
      return undefined;
  }
}
