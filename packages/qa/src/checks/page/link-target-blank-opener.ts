import { type Check, quote } from "../../check.ts";
import { attribute, textOf } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { linksOf } from "../addresses.ts";

/** The name of the window that a link opens; empty if it opens none, or a frame of this page. */
function windowOf(page: Page, target: string | undefined): string {
  const name = (target ?? "").trim();
  if (/^(?:|_self|_parent|_top)$/i.test(name)) return "";
  const framed = page.all("iframe").some((frame) => attribute(frame, "name") === name);
  return framed ? "" : name;
}

/**
 * Reports a link to another site that can navigate this window. Browsers prevent that for `_blank`,
 * unless `rel=opener` allows it, but not for a named window (HTML standard, 4.6.4).
 */
export const linkTargetBlankOpener: Check = {
  id: "link.target-blank-opener",
  category: "links",
  severity: "notice",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "outside") continue;
      const name = windowOf(page, attribute(element, "target"));
      if (name === "") continue;
      const rel = (attribute(element, "rel") ?? "").toLowerCase();
      const words = rel.split(/\s+/);
      if (words.includes("noopener") || words.includes("noreferrer")) continue;
      if (name.toLowerCase() === "_blank" && !words.includes("opener")) continue;
      yield {
        target: raw,
        at: element,
        evidence: { href: raw, rel, target: name },
        message: `The page that the link ${quote(textOf(element))} opens can redirect this one.`,
      };
    }
  },
};
