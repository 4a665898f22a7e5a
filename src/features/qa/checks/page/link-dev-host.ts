import { type Check, quote } from "../../check.ts";
import { linksOf, referencesOf } from "../addresses.ts";

const own =
  /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2})$|\.(?:local|localhost|test|internal|lan)$/i;

/** An address that only works on the machine where the site was made. */
export const linkDevHost: Check = {
  id: "link.dev-host",
  category: "links",
  severity: "error",
  *look(page, site) {
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
        message: `${quote(raw)} is an address that visitors can’t reach.`,
      };
    }
  },
};
