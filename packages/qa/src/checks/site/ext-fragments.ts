import type { SiteCheck } from "../../check.ts";
import type { ExternalPage, Reference } from "../../crawl/crawl.ts";
import { locationOf } from "../locations.ts";
import { externalLinks, inExternal, reportLink, short } from "../external-links.ts";

/** Single-page applications, whose fragments only a script can resolve. */
const byScript = /^#(?:!|\/)/;

/** Reports, once per site, fragments of other sites that can't be checked without a browser. */
export const extFragmentUnverifiable: SiteCheck = {
  ...inExternal,
  id: "ext.fragment-unverifiable",
  severity: "notice",
  *run(crawl) {
    const found = crawl.references.filter(({ url, kind }) => {
      if (kind !== "link" || crawl.isOwn(url)) return false;
      return byScript.test(URL.parse(url)?.hash ?? "");
    });
    if (found.length === 0) return;
    const urls = [...new Set(found.map(({ url }) => url))];
    const what =
      urls.length === 1
        ? "A section of an external page"
        : `${urls.length} sections of external pages`;
    yield {
      ...locationOf(found),
      page: "/",
      at: "fragments",
      shared: true,
      confidence: "review",
      evidence: { urls: urls.slice(0, 50), reason: "a script builds the page" },
      message: `${what} couldn’t be checked: a script builds the page.`,
    };
  },
};

/** `#:~:text=` is for browsers to search for; `#top` and an empty one are the top of the page. */
const isElsewhere = (fragment: string): boolean =>
  /^(?:$|top$|[!/])/i.test(fragment) || fragment.includes(":~:");

/** Renderers of READMEs add a prefix to ids, which a script takes into account. */
const prefixes = ["", "user-content-"];

function isOn({ hasTarget }: ExternalPage, fragment: string): boolean {
  let plain = fragment;
  try {
    plain = decodeURIComponent(fragment);
  } catch {
    // Then only the id with its escapes can be meant.
  }
  return prefixes.some((prefix) => hasTarget(prefix + fragment) || hasTarget(prefix + plain));
}

/** The links to each fragment of an address. */
const byFragment = (references: readonly Reference[]): Map<string, Reference[]> =>
  Map.groupBy(
    references.filter(({ kind }) => kind === "link"),
    ({ url }) => (url.includes("#") ? url.slice(url.indexOf("#") + 1) : ""),
  );

/**
 * Reports a link to a section that a page of another site doesn't have. Only pages that were read
 * to their end are judged, and if a script may have made the section, a person has to look.
 */
export const extFragmentMissing: SiteCheck = {
  ...inExternal,
  id: "ext.fragment-missing",
  severity: "warning",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { externalPage: page, hops, finalUrl } = link.answer;
      // A redirect to a section replaces that of the link.
      if (!page || finalUrl.includes("#")) continue;
      for (const [fragment, references] of byFragment(link.references)) {
        if (isElsewhere(fragment) || isOn(page, fragment)) continue;
        const isSure = !page.hasScripts && hops.length === 0;
        const url = `${link.url}#${fragment}`;
        const evidence = { url, fragment, scripts: page.hasScripts, final: finalUrl };
        const what = `${short(link.url)} has no section #${fragment.slice(0, 60)}`;
        yield {
          ...reportLink({ ...link, references }, evidence, `${what}.`),
          target: url,
          ...(isSure
            ? { confidence: "likely" }
            : {
                severity: "notice",
                confidence: "review",
                message: `${what} in its markup; a script may add it.`,
              }),
        };
      }
    }
  },
};
