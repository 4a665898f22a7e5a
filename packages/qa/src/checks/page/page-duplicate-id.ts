import type { Check } from "../../check.ts";
import { closest, type Element } from "../../page/dom.ts";

/**
 * A part of a drawing: if the drawing is on the page twice, a reference to either part gives the
 * same result.
 */
const isDrawn = (element: Element): boolean =>
  closest(element, ({ name }) => name === "svg") !== undefined;

/** Reports an id that occurs twice: links and labels reach only the first one. */
export const pageDuplicateId: Check = {
  id: "page.duplicate-id",
  category: "pages",
  severity: "warning",
  *run(page) {
    for (const [id, elements] of page.ids) {
      if (elements.length < 2) continue;
      yield {
        target: `#${id}`,
        shared: true,
        ...(elements.every(isDrawn) && { severity: "notice" }),
        evidence: {
          id,
          act: ["3ea0c8"],
          lines: elements
            .slice(0, 20)
            .map(({ sourceCodeLocation }) => sourceCodeLocation?.startLine ?? null),
        },
        location: { line: elements[1]?.sourceCodeLocation?.startLine ?? null },
        message: `The id “${id.slice(0, 60)}” is on ${elements.length} elements of this page.`,
      };
    }
  },
};
