import { type Check, locate, quote } from "../../check.ts";
import { attribute, closest, type Element, roleOf, textOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import type { Page } from "../../page/page.ts";
import { linksOf } from "../addresses.ts";

const idle = /^(?:#|javascript:\s*(?:void(?:\s+0|\(\s*0?\s*\))|;)?\s*;?)$/i;

/** What a bare `#` is for by the HTML standard (7.4.6.3): the top of the page. */
const upwards =
  /\btop\b|\bupp\b|\bhaut\b|\boben\b|\banfang\b|\barriba\b|\btopo\b|\btorna su\b|\bboven\b|[\^↑⬆⇧▲⌃]/i;

/** Attributes by which a script says that it takes the click. */
const taken =
  /^(?:on[a-z]|@|x-on:|v-on:|ng-|hx-|data-(?:bs-|action|toggle|target|dismiss|open|close|modal|lightbox|cookie|consent))|^aria-(?:haspopup|expanded|controls|pressed|current)$/;

const isTaken = (link: Element): boolean =>
  roleOf(link) !== "" || Object.keys(link.attribs).some((name) => taken.test(name));

function leadsUp(page: Page, link: Element, raw: string): boolean {
  if (raw !== "#") return false;
  // A heading that leads to the page which it stands above.
  if (closest(link, ({ name }) => /^h[1-6]$/.test(name))) return true;
  const names = [attribute(link, "class"), attribute(link, "id"), attribute(link, "title")];
  return [accessibleName(page, link), textOf(link), ...names].some((name) =>
    upwards.test((name ?? "").replaceAll(/[_-]/g, " ")),
  );
}

/** An empty address is that of the page itself: the last step of the way to it may have one. */
function isOwnName(page: Page, link: Element): boolean {
  const words = textOf(link).toLowerCase();
  const title = page.first("title");
  return words !== "" && title !== undefined && textOf(title).toLowerCase().includes(words);
}

/** A link that leads nowhere: an empty address, a bare `#`, a script that does nothing. */
export const linkEmptyHref: Check = {
  id: "link.empty-href",
  category: "links",
  severity: "warning",
  *look(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      const isIdle = idle.test(raw.trim());
      if (target.kind !== "empty" && !isIdle) continue;
      if (isTaken(element) || leadsUp(page, element, raw.trim())) continue;
      if (!isIdle && isOwnName(page, element)) continue;
      yield {
        at: element,
        evidence: { href: raw, selector: locate(element), text: textOf(element).slice(0, 80) },
        // What a script does with such a link the markup does not tell.
        ...(isIdle && { severity: "notice", confidence: "review" }),
        message: isIdle
          ? `The link ${quote(textOf(element))} leads nowhere, unless a script takes it.`
          : `The link ${quote(textOf(element))} leads nowhere.`,
      };
    }
  },
};
