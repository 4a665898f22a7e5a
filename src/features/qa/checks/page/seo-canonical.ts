import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isRedirectPage, isUnlisted, type Page } from "../../page/page.ts";
import { readAddress, type Target } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { answered } from "../addresses.ts";

function canonicalOf(page: Page, site: Site): { raw: string; target: Target } | null {
  const link = page
    .all("link")
    .find((element) =>
      (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/).includes("canonical"),
    );
  const raw = link && attribute(link, "href");
  return raw === undefined ? null : { raw, target: readAddress(raw, page.base, site.origin) };
}

/** A listed page that doesn't say under which address it is to be found. */
export const seoCanonicalMissing: Check = {
  id: "seo.canonical-missing",
  category: "seo",
  severity: "warning",
  *look(page, site) {
    if (isUnlisted(page) || isRedirectPage(page) || canonicalOf(page, site)) return;
    yield { evidence: { url: page.path }, message: "The page does not say its canonical address." };
  },
};

/** A canonical address that leads to no page. */
export const seoCanonicalBroken: Check = {
  id: "seo.canonical-broken",
  category: "seo",
  severity: "error",
  *look(page, site) {
    const canonical = canonicalOf(page, site);
    if (!canonical) return;
    const { raw, target } = canonical;
    const place = target.kind === "inside" ? site.at(target.path) : undefined;
    const leads = target.kind === "outside" || place?.kind === "file";
    if (leads) return;
    yield {
      target: raw,
      evidence: { canonical: raw, ...answered(site, target) },
      message: `The canonical address ${raw.slice(0, 120)} leads to no page.`,
    };
  },
};

/** A canonical address that is another page's: search engines leave this page out. */
export const seoCanonicalMismatch: Check = {
  id: "seo.canonical-mismatch",
  category: "seo",
  severity: "warning",
  *look(page, site) {
    const canonical = canonicalOf(page, site);
    if (!canonical || isUnlisted(page) || isRedirectPage(page)) return;
    const { raw, target } = canonical;
    const elsewhere = target.kind === "outside" && site.origin !== null;
    if (!elsewhere && (target.kind !== "inside" || target.path === page.path)) return;
    if (target.kind === "inside" && site.at(target.path)?.kind !== "file") return;
    yield {
      target: raw,
      evidence: { canonical: raw, url: page.path },
      message: `The page names ${raw.slice(0, 120)} as its address, not its own.`,
    };
  },
};
