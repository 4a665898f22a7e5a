import { type Check, quote } from "../../check.ts";
import { type Element, textOf } from "../../page/dom.ts";
import { linksOf, referencesOf } from "../addresses.ts";

const own =
  /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2})$|\.(?:local|localhost|test|internal|lan)$/i;

/** Whether the text of a link is its address, as in instructions for developers. */
const isSpoken = (element: Element, host: string): boolean => textOf(element).includes(host);

/** Reports an address that only works on the machine where the site was made. */
export const linkDevHost: Check = {
  id: "link.dev-host",
  category: "links",
  severity: "error",
  *run(page, site) {
    const loading = page.having("src");
    for (const { element, raw, target } of [
      ...linksOf(page, site),
      ...referencesOf(page, site, loading, "src"),
    ]) {
      const preview = target.kind === "inside" && /^\/_preview(?:\/|$)/.test(target.path);
      if (!preview && !(target.kind === "outside" && own.test(target.url.hostname))) continue;
      yield {
        target: raw,
        at: element,
        evidence: { href: raw },
        ...(target.kind === "outside" &&
          isSpoken(element, target.url.host) && { severity: "notice", confidence: "review" }),
        message: `Visitors can’t reach ${quote(raw)}.`,
      };
    }
  },
};
