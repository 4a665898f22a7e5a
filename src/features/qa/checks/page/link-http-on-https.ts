import { type Check, quote } from "../../check.ts";
import { linksOf } from "../addresses.ts";

/** A link of an encrypted site to its own pages unencrypted. */
export const linkHttpOnHttps: Check = {
  id: "link.http-on-https",
  category: "links",
  severity: "warning",
  *look(page, site) {
    if (!site.origin?.startsWith("https:")) return;
    const host = new URL(site.origin).host;
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "outside" || target.url.protocol !== "http:") continue;
      if (target.url.host !== host) continue;
      yield { target: raw, at: element, message: `${quote(raw)} should begin with https.` };
    }
  },
};
