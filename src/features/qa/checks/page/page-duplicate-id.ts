import type { Check } from "../../check.ts";

/** An id that is there twice: links and labels reach only the first. */
export const pageDuplicateId: Check = {
  id: "page.duplicate-id",
  category: "pages",
  severity: "warning",
  *look(page) {
    for (const [id, elements] of page.ids) {
      if (elements.length < 2) continue;
      yield {
        target: `#${id}`,
        evidence: {
          id,
          act: ["3ea0c8"],
          lines: elements
            .slice(0, 20)
            .map(({ sourceCodeLocation }) => sourceCodeLocation?.startLine ?? null),
        },
        place: { line: elements[1]?.sourceCodeLocation?.startLine ?? null },
        message: `The id “${id.slice(0, 60)}” is on ${elements.length} elements of this page.`,
      };
    }
  },
};
