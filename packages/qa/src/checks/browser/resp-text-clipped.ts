import { uniqueByLocator, locationOf } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Reports text that a narrow screen cuts off and a wide one doesn't. */
export const respTextClipped: BrowserCheck = {
  id: "resp.text-clipped",
  category: "responsive",
  severity: "warning",
  byComponent: true,
  *run(visit) {
    const cut = visit.narrow.flatMap(({ width, clipped }) =>
      clipped.map((one) => ({ ...one, width })),
    );
    for (const one of uniqueByLocator(cut)) {
      const { width, selector, scrollHeight, clientHeight, text } = one;
      yield {
        ...locationOf(one, text),
        message: `At ${width} pixels, the text ${quote(text)} is clipped: it needs ${scrollHeight} pixels of height and has ${clientHeight}.`,
        evidence: { selector, scrollHeight, clientHeight, width },
      };
    }
  },
};
