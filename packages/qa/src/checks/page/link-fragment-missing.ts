import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { fragmentTargetsOf } from "../../page/page.ts";
import { destinationOf, linksOf } from "../addresses.ts";
import { nearestFragment } from "../candidates.ts";
import { canBeFilled, canBeFilledAt } from "../needs-script.ts";

/** Reports a link to a fragment that the page doesn't have. */
export const linkFragmentMissing: Check = {
  id: "link.fragment-missing",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || target.fragment === "") continue;
      // `#:~:text=` is for browsers to search for, `#/…` and `#!…` for scripts.
      if (/^(?:[/!]|:~:)/.test(target.fragment) || raw.includes("#:~:")) continue;
      const arrival = destinationOf(site, target);
      if (!arrival || arrival.fragment !== target.fragment) continue;
      const { entry } = arrival;
      const isOwn = entry.path === page.path;
      const places = isOwn ? fragmentTargetsOf(page) : site.fragmentTargetsOn(entry.path);
      const fragment = target.fragment.replace(/:~:.*$/, "");
      if (!places || fragment.toLowerCase() === "top" || places.has(fragment)) continue;
      // Browsers first look for the id with its escapes (HTML standard, 7.4.6.3).
      if (places.has(raw.trim().slice(raw.trim().indexOf("#") + 1))) continue;
      const isDoubtful = isOwn ? canBeFilled(page, site) : canBeFilledAt(entry.path, site);
      const near = nearestFragment(places, fragment);
      const where = isOwn ? "this page" : entry.path;
      yield {
        target: `${entry.path}#${fragment}`,
        at: element,
        evidence: {
          target: raw,
          fragment,
          nearest: near?.id ?? null,
          distance: near?.distance ?? null,
          line: element.sourceCodeLocation?.startLine ?? null,
        },
        safe: near?.isClear ?? false,
        needsScript: isDoubtful ? { page: entry.path, kind: "place", what: fragment } : undefined,
        message: `The link ${quote(textOf(element))} leads to #${fragment.slice(0, 60)}, which doesn’t exist on ${where}.`,
      };
    }
  },
};
