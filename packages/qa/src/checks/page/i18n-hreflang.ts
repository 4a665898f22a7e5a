import { type Check, quote } from "../../check.ts";
import { attribute, type Element } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { findResponse, isBroken, referencesOf } from "../addresses.ts";

/** The links to a page's translations, with their languages. */
function alternatesOf(page: Page): { element: Element; code: string }[] {
  return page.all("link").flatMap((element) => {
    const code = attribute(element, "hreflang");
    const rel = attribute(element, "rel") ?? "";
    return code !== undefined && /\balternate\b/i.test(rel) ? [{ element, code: code.trim() }] : [];
  });
}

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Why a code isn't a language; null if it is one (BCP 47 as search engines read it). */
function faultOf(code: string): string | null {
  if (code.toLowerCase() === "x-default") return null;
  const [, language = "", script, region] =
    /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/i.exec(code) ?? [];
  if (language === "") return "it isn’t a language code";
  if (languages.of(language.toLowerCase()) === undefined) return `${language} isn’t a language`;
  if (region === undefined) return null;
  const upper = region.toUpperCase();
  const own = new Intl.Locale(`und${script ? `-${script}` : ""}-${upper}`).region;
  // The code of the United Kingdom is GB; UK is only reserved.
  if (own !== undefined && own !== upper) return `the country code is ${own}, not ${upper}`;
  return regions.of(upper) === undefined ? `${upper} isn’t a country code` : null;
}

/** Reports a translation with an invalid language code. */
export const i18nHreflangInvalid: Check = {
  id: "i18n.hreflang-invalid",
  category: "i18n",
  severity: "warning",
  *run(page) {
    for (const { element, code } of alternatesOf(page)) {
      const fault = faultOf(code);
      if (fault === null) continue;
      yield {
        target: code,
        at: element,
        evidence: { code, fault },
        message: `Search engines don’t recognize the language ${quote(code)}: ${fault}.`,
      };
    }
  },
};

/** Reports a translation that doesn't exist. */
export const i18nHreflangBroken: Check = {
  id: "i18n.hreflang-broken",
  category: "i18n",
  severity: "error",
  *run(page, site) {
    const links = alternatesOf(page).map(({ element }) => element);
    for (const { element, raw, target } of referencesOf(page, site, links, "href")) {
      if (target.kind !== "inside" || !isBroken(site, target)) continue;
      yield {
        target: target.path,
        at: element,
        evidence: {
          url: raw,
          lang: attribute(element, "hreflang") ?? "",
          ...findResponse(site, target),
        },
        message: `The translation ${target.path} doesn’t exist.`,
      };
    }
  },
};
