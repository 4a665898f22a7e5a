import { type Check, type PageReport, quote } from "../../check.ts";
import { attribute, textOf } from "../../page/dom.ts";
import { fragmentTargetsOf, type Page } from "../../page/page.ts";
import { destinationOf, linksOf, targetOf } from "../addresses.ts";
import { nearestFragment } from "../candidates.ts";
import { handlesFragments, isHandledByScript } from "../handled-link.ts";
import { canBeFilled, canBeFilledAt } from "../needs-script.ts";

/** Image maps that aren't on the page: the links of the image are lost. */
function* missingMaps(page: Page): Generator<PageReport> {
  const names = new Set(page.all("map").map((map) => attribute(map, "name") ?? ""));
  for (const element of page.all("img", "object")) {
    const raw = attribute(element, "usemap");
    const name = raw?.trim().replace(/^[^#]*#/, "");
    if (name === undefined || name === "" || names.has(name)) continue;
    yield {
      target: `#${name}`,
      at: element,
      evidence: { target: raw ?? "", fragment: name, nearest: null, distance: null },
      message: `The image’s map #${name.slice(0, 60)} doesn’t exist on this page, so its links are lost.`,
    };
  }
}

/** Names that nothing has, so that a style sheet's `:target` matches nothing anymore. */
const nothing = /^(?:close|closed|hide|none|off|cancel|dismiss|_|!|x)$/i;

/**
 * Reports a link to a fragment that the page doesn't have, and an image whose map it doesn't have.
 */
export const linkFragmentMissing: Check = {
  id: "link.fragment-missing",
  category: "links",
  severity: "error",
  *run(page, site) {
    yield* missingMaps(page);
    for (const link of linksOf(page, site)) {
      const { element, raw, target } = link;
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
      if (isOwn && isHandledByScript(element)) continue;
      if (isOwn && nothing.test(fragment)) continue;
      const mayBeHandled = isOwn && handlesFragments(page, site);
      const isDoubtful = isOwn ? canBeFilled(page, site) : canBeFilledAt(entry.path, site);
      // A setting, such as `#slide=4`, is for a script, as `#/…` is.
      if ((mayBeHandled || isDoubtful) && /^[\w.-]+=/.test(fragment)) continue;
      const near = nearestFragment(places, fragment);
      const where = isOwn ? "this page" : entry.path;
      yield {
        ...targetOf(link, `${entry.path}#${fragment}`),
        at: element,
        evidence: {
          target: raw,
          fragment,
          nearest: near?.id ?? null,
          distance: near?.distance ?? null,
          line: element.sourceCodeLocation?.startLine ?? null,
        },
        safe: !mayBeHandled && (near?.isClear ?? false),
        // The place may be one that only the script knows: one question about all links like it.
        ...(mayBeHandled && { severity: "notice", confidence: "review", byElement: false }),
        needsScript:
          isDoubtful && !mayBeHandled
            ? { page: entry.path, kind: "place", what: fragment }
            : undefined,
        message: `The link ${quote(textOf(element))} leads to #${fragment.slice(0, 60)}, which doesn’t exist on ${where}.`,
      };
    }
  },
};
