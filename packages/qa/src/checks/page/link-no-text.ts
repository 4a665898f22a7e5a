import { type Check, locate } from "../../check.ts";
import { elementsBelow, isHiddenFromReaders, isPresentational, roleOf } from "../../page/dom.ts";
import { accessibleName, hasOwnText } from "../../page/name.ts";
import { hasGeneratedText } from "../../style/generated.ts";
import { linksOf, targetOf } from "../addresses.ts";

/** Reports a link without text: screen reader users don't know where it leads. */
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
      // Links around images are reported by img.link-no-alt.
      if (inside.includes("img")) continue;
      // A custom element may bring its own text, and so may slotted content.
      const isGenerated = hasGeneratedText(page, site, element);
      if (isGenerated) continue;
      const isDoubtful =
        isGenerated === null || inside.some((name) => name.includes("-") || name === "slot");
      const about = targetOf(link);
      yield {
        ...about,
        at: element,
        evidence: { selector: locate(element), name: "", href: link.raw, act: ["c487ae"] },
        ...(isDoubtful && { severity: "notice", confidence: "review" }),
        message: `The link to ${about.target} has no text.`,
      };
    }
  },
};
