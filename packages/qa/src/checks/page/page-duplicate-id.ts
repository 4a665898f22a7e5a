import type { Check } from "../../check.ts";
import { closest, type Element } from "../../page/dom.ts";

/**
 * A part of a drawing: if the drawing is on the page twice, a reference to either part gives the
 * same result.
 */
const isDrawn = (element: Element): boolean =>
  closest(element, ({ name }) => name === "svg") !== undefined;

const lineOf = (element: Element | undefined): number | null =>
  element?.sourceCodeLocation?.startLine ?? null;

/** Reports an id that occurs twice: links and labels reach only the first one. */
export const pageDuplicateId: Check = {
  id: "page.duplicate-id",
  category: "pages",
  severity: "warning",
  *run(page) {
    const drawn: [string, readonly Element[]][] = [];
    for (const [id, elements] of page.ids) {
      if (elements.length < 2) continue;
      if (elements.every(isDrawn)) {
        drawn.push([id, elements]);
        continue;
      }
      yield {
        target: `#${id}`,
        shared: true,
        evidence: {
          id,
          act: ["3ea0c8"],
          lines: elements.slice(0, 20).map(lineOf),
        },
        location: { line: lineOf(elements[1]) },
        message: `The id “${id.slice(0, 60)}” is on ${elements.length} elements of this page.`,
      };
    }
    const [first] = drawn;
    if (!first) return;
    const [id, elements] = first;
    const others = drawn.length - 1;
    const more = others === 0 ? "" : `, as ${others === 1 ? "is 1 more" : `are ${others} more`}`;
    yield {
      // Programs that export drawings give all of them the same ids.
      at: "drawings",
      formerTarget: `#${id}`,
      shared: true,
      severity: "notice",
      evidence: { ids: drawn.slice(0, 20).map(([name]) => name), act: ["3ea0c8"] },
      location: { line: lineOf(elements[1]) },
      message: `The id “${id.slice(0, 60)}” is on ${elements.length} drawings of this page${more}.`,
    };
  },
};
