import { type Check, quote } from "../../check.ts";
import { textOf } from "../../page/dom.ts";
import { placesOf } from "../../page/page.ts";
import { linksOf } from "../addresses.ts";
import { nearestPlace } from "../candidates.ts";

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
      const place = site.at(target.path, target.search);
      if (place?.kind !== "file") continue;
      const places = place.path === page.path ? placesOf(page) : site.placesOn(place.path);
      const fragment = target.fragment.replace(/:~:.*$/, "");
      if (!places || fragment.toLowerCase() === "top" || places.has(fragment)) continue;
      const near = nearestPlace(places, fragment);
      const where = place.path === page.path ? "this page" : place.path;
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
        message: `The link ${quote(textOf(element))} leads to #${fragment.slice(0, 60)}, which ${where} does not have.`,
      };
    }
  },
};
