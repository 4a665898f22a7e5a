import type { Check } from "../../check.ts";
import { attribute, closest, type Element, rawText } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";
import { visibleSizeOf } from "../../page/visible-size.ts";
import { readAddress } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { drawsBoxes } from "../../style/generated.ts";
import { canBeFilled } from "../needs-script.ts";

const runs = (script: Element): boolean =>
  /^(?:module|.*javascript)?$/i.test(attribute(script, "type") ?? "");

/** Analytics, consent, and chat scripts: none of them renders the page. */
const bystander =
  /googletagmanager|google-analytics|googlesyndication|doubleclick|recaptcha|cloudflareinsights|\/cdn-cgi\/|plausible|matomo|piwik|umami|usefathom|goatcounter|hotjar|clarity\.ms|facebook\.net|hs-scripts|segment\.(?:com|io)|mixpanel|cookiebot|cookielaw|onetrust|intercom|crisp\.chat|\/(?:stats?|analytics|gtag|gtm|track(?:er|ing)?)(?:[.-]\w+)*\.js/i;
const bystanderText =
  /\bGTM-\w|\bgtag\(|\bdataLayer\b|GoogleAnalyticsObject|\b_(?:paq|gaq|hjSettings)\b|\bfbq\(/;

const isBystander = (script: Element): boolean => {
  const src = attribute(script, "src");
  return src === undefined ? bystanderText.test(rawText(script)) : bystander.test(src);
};

/** Whether a script is the site's own, or a module, in the body of a page. */
const isOwnInBody = (script: Element, page: Page, site: Site): boolean => {
  const src = attribute(script, "src");
  return (
    src !== undefined &&
    closest(script, ({ name }) => name === "body") !== undefined &&
    (readAddress(src, page.base, site.origin).kind === "inside" ||
      /^module$/i.test(attribute(script, "type") ?? ""))
  );
};

/**
 * Whether scripts fill a page. True for the shell of an application: an empty element with an id or
 * a custom element, or nothing but an own script. Null if another script may fill it.
 */
function isFilledByScript(page: Page, site: Site): boolean | null {
  if (!canBeFilled(page, site)) return false;
  const scripts = page.all("script").filter((script) => runs(script) && !isBystander(script));
  const named = page.all("div", "main").some((element) => attribute(element, "id") !== undefined);
  const holds = named || page.elements.some(({ name }) => name.includes("-"));
  if (scripts.some((script) => holds || isOwnInBody(script, page, site))) return true;
  return scripts.length > 0 ? null : false;
}

/** Reports a page without visible content. */
export const pageEmptyBody: Check = {
  id: "page.empty-body",
  category: "pages",
  severity: "error",
  *run(page, site) {
    // Framesets have no body.
    if (page.first("frameset")) return;
    if (isRedirectPage(page) || visibleSizeOf(page).whole > 0) return;
    const isDrawn = drawsBoxes(page, site);
    const isFilled = isFilledByScript(page, site);
    if (isFilled || isDrawn) return;
    const isUnknown = isFilled === null || isDrawn === null;
    const by = isFilled === null ? "a script" : "a style sheet";
    yield {
      ...(isUnknown && { severity: "notice", confidence: "review" }),
      evidence: { url: page.path, characters: 0, words: 0 },
      message: isUnknown ? `The page is empty unless ${by} fills it.` : "The page is empty.",
    };
  },
};
