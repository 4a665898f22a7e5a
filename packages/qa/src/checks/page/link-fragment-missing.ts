import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { placesOf } from "../../page/page.ts";
import { arrivalAt, linksOf } from "../addresses.ts";
import { nearestPlace } from "../candidates.ts";
import { mayBeFilled, mayBeFilledAt } from "../doubt.ts";

/** A link to a place on a page that isn't on it. */
export const linkFragmentMissing: Check = {
  id: "link.fragment-missing",
  category: "links",
  severity: "error",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || target.fragment === "") continue;
      // `#:~:text=` is for browsers to find, `#/…` and `#!…` for scripts.
      if (/^(?:[/!]|:~:)/.test(target.fragment) || raw.includes("#:~:")) continue;
      const arrival = arrivalAt(site, target);
      if (!arrival || arrival.fragment !== target.fragment) continue;
      const { place } = arrival;
      const isOwn = place.path === page.path;
      const places = isOwn ? placesOf(page) : site.placesOn(place.path);
      const fragment = target.fragment.replace(/:~:.*$/, "");
      if (!places || fragment.toLowerCase() === "top" || places.has(fragment)) continue;
      // An id that has escapes in itself is looked for first (HTML standard, 7.4.6.3).
      if (places.has(raw.trim().slice(raw.trim().indexOf("#") + 1))) continue;
      const isDoubtful = isOwn ? mayBeFilled(page, site) : mayBeFilledAt(place.path, site);
      const near = nearestPlace(places, fragment);
      const where = isOwn ? "this page" : place.path;
      yield {
        target: `${place.path}#${fragment}`,
        at: element,
        evidence: {
          target: raw,
          fragment,
          nearest: near?.id ?? null,
          distance: near?.distance ?? null,
          line: element.sourceCodeLocation?.startLine ?? null,
        },
        safe: near?.clear ?? false,
        doubt: isDoubtful ? { page: place.path, about: "place", what: fragment } : undefined,
        message: `The link ${quote(textOf(element))} leads to #${fragment.slice(0, 60)}, which ${where} does not have.`,
      };
    }
  },
};
