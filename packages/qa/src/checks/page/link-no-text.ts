import { type Check, locate } from "../../check.ts";
import { elementsBelow, isHiddenFromReaders, isPresentational, roleOf } from "../../page/dom.ts";
import { accessibleName, hasOwnText } from "../../page/name.ts";
import { linksOf, formatTarget } from "../addresses.ts";

/** A link that has no words: nobody who listens to the page knows where it leads. */
export const linkNoText: Check = {
  id: "link.no-text",
  category: "links",
  severity: "warning",
  *run(page, site) {
    for (const link of linksOf(page, site)) {
      const { element } = link;
      if (element.name === "area" || hasOwnText(element)) continue;
      if (isHiddenFromReaders(element)) continue;
      const role = roleOf(element);
      if (!/^(?:|link|none|presentation)$/.test(role) || isPresentational(element)) continue;
      if (accessibleName(page, element) !== "") continue;
      const inside = [...elementsBelow(element)].map(({ name }) => name);
      // Of a link around an image img.link-no-alt tells.
      if (inside.includes("img")) continue;
      // An element of the site's own kind may bring words along, and so may what is put into a slot.
      const isDoubtful = inside.some((name) => name.includes("-") || name === "slot");
      const target = formatTarget(link);
      yield {
        target,
        at: element,
        evidence: { selector: locate(element), name: "", href: link.raw, act: ["c487ae"] },
        ...(isDoubtful && { severity: "notice", confidence: "review" }),
        message: `The link to ${target} has no text.`,
      };
    }
  },
};
