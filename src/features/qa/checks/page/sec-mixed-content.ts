import { type Check, quote } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

const loading = new Set([
  "img",
  "script",
  "iframe",
  "video",
  "audio",
  "source",
  "track",
  "embed",
  "input",
]);

/** What is shown but runs nothing. */
const passive = new Set(["img", "video", "audio", "source", "track", "input"]);

/** Something that an encrypted page loads unencrypted: browsers refuse it. */
export const secMixedContent: Check = {
  id: "sec.mixed-content",
  category: "security",
  severity: "error",
  *look(page, site) {
    if (site.origin?.startsWith("http:")) return;
    for (const element of page.elements) {
      const address = loading.has(element.name)
        ? attribute(element, "src")
        : element.name === "link" &&
            /\b(?:stylesheet|preload|modulepreload|icon)\b/i.test(attribute(element, "rel") ?? "")
          ? attribute(element, "href")
          : undefined;
      if (address === undefined || !/^\s*http:/i.test(address)) continue;
      yield {
        target: address,
        at: element,
        evidence: { url: address, type: passive.has(element.name) ? "passive" : "active" },
        message: `${quote(address)} is loaded unencrypted.`,
      };
    }
  },
};
