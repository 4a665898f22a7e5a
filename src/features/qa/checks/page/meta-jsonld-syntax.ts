import type { Check } from "../../check.ts";
import { attribute, rawText } from "../../page/dom.ts";

/** Structured data that can't be read. */
export const metaJsonldSyntax: Check = {
  id: "meta.jsonld-syntax",
  category: "structured data",
  severity: "error",
  *look(page) {
    for (const script of page.all("script")) {
      if (attribute(script, "type")?.trim().toLowerCase() !== "application/ld+json") continue;
      try {
        JSON.parse(rawText(script));
      } catch (error) {
        yield {
          at: "ld+json",
          evidence: { error: String(error instanceof Error ? error.message : error).slice(0, 200) },
          place: { line: script.sourceCodeLocation?.startLine ?? null },
          message: "The page’s structured data is not valid JSON.",
        };
      }
    }
  },
};
