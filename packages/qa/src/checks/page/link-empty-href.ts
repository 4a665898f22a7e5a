import { type Check, locate, quote } from "../../check.ts";
import { attribute, closest, type Element, textOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import type { Page } from "../../page/page.ts";
import { linksOf } from "../addresses.ts";
import { isHandledByScript, mayBeHandledByLibrary } from "../handled-link.ts";

const idle = /^(?:#|javascript:\s*(?:void(?:\s+0|\(\s*0?\s*\))|;)?\s*;?)$/i;

/** Text that only says “to the top”, in the languages of the sites that are checked. */
const upwards = new RegExp(
  `^(?:${[
    "(?:(?:back|go|scroll|jump|return|move) )?(?:to )?(?:the )?(?:page )?top(?: of (?:the |this )?page)?",
    "(?:back )?up",
    "(?:(?:tillbaka|gå|åter) )?(?:upp|(?:upp )?till (?:sidans )?topp(?:en)?(?: av sidan)?)",
    "(?:(?:tilbage|gå|tilbake) )?(?:op|opp|til toppen)",
    "(?:(?:zurück|wieder|ganz) )?(?:nach (?:ganz )?oben|zum (?:seiten)?anfang(?: der seite)?|seitenanfang)",
    "(?:(?:retour|retourner|aller|remonter|revenir) )?(?:(?:en|au|vers le) )?haut(?: de (?:la )?page)?",
    "(?:(?:volver|ir|subir) )?(?:hacia )?arriba",
    "(?:torna|vai|ritorna) (?:su|in alto|all[’'] ?inizio)",
    "(?:(?:voltar|ir) )?(?:(?:ao|para o|a[lo]) )?topo(?: da página)?",
    "(?:terug )?naar (?:boven|de top)",
  ].join("|")})$`,
);

/** Class names of such links: `back-to-top`, `scrollTop`, `btn-top`. */
const upwardsClass =
  /^(?:js )?(?:(?:back|go|scroll|jump|return|to|btn|button|link|page) ?)(?:to ?)?(?:the ?)?(?:top|up)(?: ?(?:link|btn|button|arrow|icon))?$/;

const arrow = /[\^↑⇑⬆⇧▲△⌃🔝]\uFE0F?/gu;

const isTaken = (link: Element): boolean =>
  isHandledByScript(link) || attribute(link, "aria-current") !== undefined;

/** Whether a text, or a symbol on its own, says that a link leads to the top. */
function describeUp(words: string): boolean {
  const bare = words
    .replaceAll(arrow, " ")
    .replace(/[.!»›>]+$/, "")
    .replace(/\s+/g, " ")
    .trim();
  return bare === "" ? words.trim() !== "" : upwards.test(bare.toLowerCase());
}

/** A name for programs as separate words: `scrollToTop`, `back_to-top`. */
const spaced = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .toLowerCase();

/** Whether a text is the title of the page, or one of the parts that a title consists of. */
function isInTitle(page: Page, words: string): boolean {
  const title = page.first("title");
  const whole = title ? textOf(title) : "";
  const parts = [whole, ...whole.split(/\s+[-–—]\s+|\s*[|·•»«:]\s*/)];
  return words !== "" && parts.some((part) => part.toLowerCase() === words.toLowerCase());
}

/** Whether a link is the heading of the page itself. */
function isPageHeading(page: Page, link: Element): boolean {
  const heading = closest(link, ({ name }) => /^h[1-6]$/.test(name));
  if (!heading) return false;
  const first = page.all("h1");
  const only = first.length === 1 ? first[0] : undefined;
  const words = textOf(link);
  return heading === only || (only && textOf(only) === words) || isInTitle(page, words);
}

/** The purpose of a bare `#` in the HTML standard (7.4.6.3): the top of the page. */
function leadsUp(page: Page, link: Element, raw: string): boolean {
  if (raw !== "#") return false;
  if (isPageHeading(page, link)) return true;
  const ownNames = [accessibleName(page, link), textOf(link), attribute(link, "title") ?? ""];
  const markNames = [...(attribute(link, "class") ?? "").split(/\s+/), attribute(link, "id") ?? ""];
  return ownNames.some(describeUp) || markNames.some((name) => upwardsClass.test(spaced(name)));
}

const connection = /crumb|brotkrume|brödsmul|ariane|brødkrumme|kruimel/i;

const isWay = ({ attribs }: Element): boolean =>
  ["class", "id", "aria-label", "itemtype", "typeof"].some((name) =>
    connection.test(attribs[name] ?? ""),
  );

/** An empty address is that of the page itself: the last entry of a breadcrumb may have one. */
const isOwnName = (page: Page, link: Element): boolean =>
  closest(link, isWay) !== undefined && isInTitle(page, textOf(link));

/** Reports a link without a target: an empty address, a bare `#`, a script that does nothing. */
export const linkEmptyHref: Check = {
  id: "link.empty-href",
  category: "links",
  severity: "warning",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      const isIdle = idle.test(raw.trim());
      if (target.kind !== "empty" && !isIdle) continue;
      if (isTaken(element) || leadsUp(page, element, raw.trim())) continue;
      if (!isIdle && isOwnName(page, element)) continue;
      const isUncertain = isIdle || mayBeHandledByLibrary(element);
      yield {
        at: element,
        evidence: { href: raw, selector: locate(element), text: textOf(element).slice(0, 80) },
        byComponent: true,
        // The markup doesn't show what a script does with such a link.
        ...(isUncertain && { severity: "notice", confidence: "review" }),
        message: isUncertain
          ? `The link ${quote(textOf(element))} leads nowhere, unless a script handles it.`
          : `The link ${quote(textOf(element))} leads nowhere.`,
      };
    }
  },
};
