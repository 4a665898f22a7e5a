import type { SiteCheck, SiteReport } from "../../check.ts";
import type { Json } from "../../finding.ts";
import type { CrawlResponse, Crawl } from "../../crawl/crawl.ts";
import {
  type CheckedLink,
  externalLinks,
  inExternal,
  reportLink,
  short,
} from "../external-links.ts";
import { attemptsOf, hopsOf } from "../locations.ts";

/**
 * A defect counts only from the second failing run in a row on: a site may be down for a moment.
 */
function weighed(crawl: Crawl, url: string): Pick<SiteReport, "severity" | "confidence"> {
  const runs = crawl.externals.get(url)?.badRuns ?? 0;
  return runs >= 2
    ? { severity: "error", confidence: "confirmed" }
    : { severity: "warning", confidence: "likely" };
}

function evidenceOf(crawl: Crawl, { url, answer: response }: CheckedLink): { [key: string]: Json } {
  const known = crawl.externals.get(url);
  return {
    url,
    status: response.status,
    method: response.method,
    attempts: attemptsOf(response),
    first_bad: known?.firstBadAt ?? null,
    last_ok: known?.lastOkAt ?? null,
  };
}

type Kind = "gone" | "dns" | "tls" | "broken";

function kindOf({ status, failure, verdict }: CrawlResponse): Kind | null {
  if (verdict !== "broken") return null;
  if (failure?.phase === "dns") return "dns";
  if (failure?.phase === "tls") return "tls";
  return status === 410 && !failure ? "gone" : "broken";
}

/** Reports a broken link to another site. */
export const extBroken: SiteCheck = {
  ...inExternal,
  id: "ext.broken",
  severity: "error",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      if (kindOf(response) !== "broken") continue;
      yield {
        ...reportLink(
          link,
          evidenceOf(crawl, link),
          `Couldn’t open ${short(url)}: ${response.reason}.`,
        ),
        ...weighed(crawl, url),
      };
    }
  },
};

/** Reports a page of another site that was removed permanently. */
export const extGone410: SiteCheck = {
  ...inExternal,
  id: "ext.gone-410",
  severity: "error",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      if (kindOf(link.answer) !== "gone") continue;
      yield {
        ...reportLink(link, evidenceOf(crawl, link), `${short(link.url)} was removed permanently.`),
        ...weighed(crawl, link.url),
      };
    }
  },
};

/** Reports a host without an address. */
export const extDns: SiteCheck = {
  ...inExternal,
  id: "ext.dns",
  severity: "error",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      if (kindOf(response) !== "dns") continue;
      const { host } = new URL(url);
      const evidence = { ...evidenceOf(crawl, link), host, code: response.failure?.code ?? null };
      yield {
        ...reportLink(link, evidence, `${short(url)} leads to ${host}, which doesn’t exist.`),
        ...weighed(crawl, url),
      };
    }
  },
};

/** Reports a host whose certificate browsers refuse. */
export const extTls: SiteCheck = {
  ...inExternal,
  id: "ext.tls",
  severity: "error",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      if (kindOf(response) !== "tls") continue;
      const { host } = new URL(url);
      const evidence = { ...evidenceOf(crawl, link), host, error: response.failure?.code ?? null };
      yield {
        ...reportLink(
          link,
          evidence,
          `Browsers warn visitors about ${short(url)}: ${response.reason}.`,
        ),
        ...weighed(crawl, url),
      };
    }
  },
};

/** The bot protection in front of a site, by its headers. */
function vendorOf({ headers }: CrawlResponse): string | null {
  if (headers["cf-mitigated"] !== undefined || /cloudflare/i.test(headers["server"] ?? "")) {
    return "Cloudflare";
  }
  if (headers["x-datadome"] !== undefined) return "DataDome";
  if (headers["x-amzn-waf-action"] !== undefined) return "AWS";
  return /akamai/i.test(headers["server"] ?? "") ? "Akamai" : null;
}

/** Reports a link that only people can open: it can't be checked. */
export const extBlocked: SiteCheck = {
  ...inExternal,
  id: "ext.blocked",
  severity: "notice",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      // Without a status, it wasn't requested, or the network was at fault.
      if (response.verdict !== "unknown" || response.status === null) continue;
      const evidence = { url, status: response.status, vendor: vendorOf(response) };
      yield {
        ...reportLink(link, evidence, `Couldn’t check ${short(url)}: ${response.reason}.`),
        confidence: "review",
      };
    }
  },
};

/** Addresses that redirect by design: short links, and pages that ask first. */
const passing =
  /(?:^|\.)(?:doi\.org|purl\.org|handle\.net|bit\.ly|t\.co|goo\.gl|youtu\.be|amzn\.to|lnkd\.in|tinyurl\.com|ow\.ly|buff\.ly|w3id\.org|g\.co|aka\.ms|perma\.cc)$/i;
const asksFirst = /\b(?:log-?in|sign-?in|auth|consent|session|sso|captcha|challenge|cookie)/i;

const isRoot = (url: URL): boolean => url.pathname === "/" && url.search === "";

/** Reports a page of another site that has moved permanently. */
export const extRedirectPermanent: SiteCheck = {
  ...inExternal,
  id: "ext.redirect-permanent",
  severity: "notice",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      const { hops, finalUrl, verdict } = response;
      if (verdict !== "ok" || hops.length === 0) continue;
      if (!hops.every(({ status }) => status === 301 || status === 308)) continue;
      const [from, to] = [new URL(url), URL.parse(finalUrl)];
      if (!to || passing.test(from.hostname) || asksFirst.test(to.href)) continue;
      // A redirect to the visitor's language, or to the home page, isn't a move.
      if (isRoot(from) && to.host === from.host && !isRoot(to)) continue;
      if (!isRoot(from) && isRoot(to)) continue;
      const evidence = { from: url, to: finalUrl, hops: hopsOf(response) };
      yield reportLink(link, evidence, `${short(url)} has moved to ${short(finalUrl)}.`);
    }
  },
};

/** Hosts of companies that park and sell domain names. */
const parkingHosts =
  /(?:^|\.)(?:sedo|sedoparking|hugedomains|dan|afternic|bodis|parkingcrew|above|parklogic|undeveloped|domainmarket|buydomains|sav|epik|uniregistry|namebright|domain-for-sale)\.(?:com|net)$/i;
const parkingWords =
  /<title>[^<]{0,80}\b(?:domain (?:is |name )?(?:for sale|parked)|this domain|buy this domain|parked (?:domain|free)|domain expired)\b/i;
const lostWords =
  /<title>\s*(?:error\s*)?(?:404\b|page not found|not found\b|seite nicht gefunden)/i;

function signalsOf(url: string, response: CrawlResponse): string[] {
  const [from, to] = [new URL(url), URL.parse(response.finalUrl)];
  const moved = to !== null && response.hops.length > 0;
  return [
    ...(to && to.host !== from.host && parkingHosts.test(to.host)
      ? [`it leads to ${to.host}`]
      : []),
    ...(parkingWords.test(response.head) ? ["its title says that the domain is for sale"] : []),
    ...(lostWords.test(response.head) ? ["its title says that the page doesn’t exist"] : []),
    ...(moved && !isRoot(from) && isRoot(to) && from.pathname.length > 4 && !passing.test(from.host)
      ? ["it redirects to the home page"]
      : []),
  ];
}

/** Reports a page of another site that seems to be gone although it responds with success. */
export const extParkedOrSoft404: SiteCheck = {
  ...inExternal,
  id: "ext.parked-or-soft404",
  severity: "notice",
  *run(crawl) {
    for (const link of externalLinks(crawl)) {
      const { url, answer: response } = link;
      const signals = response.verdict === "ok" ? signalsOf(url, response) : [];
      if (signals.length === 0) continue;
      yield {
        ...reportLink(
          link,
          { url, final: response.finalUrl, signals },
          `${short(url)} seems to be gone: ${signals.join(", ")}.`,
        ),
        confidence: "review",
      };
    }
  },
};
