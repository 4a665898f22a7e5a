import type { SiteCheck, SiteSeen } from "../../check.ts";
import type { Evidence, Json } from "../../finding.ts";
import type { Answer, Crawl, Reference } from "../../crawl/crawl.ts";
import { attemptsOf, hopsOf, toldAt } from "../places.ts";

interface Asked {
  url: string;
  answer: Answer;
  references: readonly Reference[];
}

/** What was asked of others, with where the site names it. */
function* strangers(crawl: Crawl): Generator<Asked> {
  for (const [url, answer] of crawl.answers) {
    if (crawl.isOwn(url)) continue;
    const references = crawl.referencesTo(url);
    if (references.length > 0) yield { url, answer, references };
  }
}

/** Only from the second bad pass in a row on it counts: a site may be down for a moment. */
function weighed(crawl: Crawl, url: string): Pick<SiteSeen, "severity" | "confidence"> {
  const passes = crawl.externals.get(url)?.badPasses ?? 0;
  return passes >= 2
    ? { severity: "error", confidence: "confirmed" }
    : { severity: "warning", confidence: "likely" };
}

function evidenceOf(crawl: Crawl, { url, answer }: Asked): { [key: string]: Json } {
  const known = crawl.externals.get(url);
  return {
    url,
    status: answer.status,
    method: answer.method,
    attempts: attemptsOf(answer),
    first_bad: known?.firstBadAt ?? null,
    last_ok: known?.lastOkAt ?? null,
  };
}

function told(asked: Asked, evidence: Evidence, message: string): SiteSeen {
  const { url, references } = asked;
  return { ...toldAt(references), target: url, shared: true, evidence, message };
}

const short = (url: string): string => (url.length > 90 ? `${url.slice(0, 89)}…` : url);

type Kind = "gone" | "dns" | "tls" | "broken";

function kindOf({ status, failure, verdict }: Answer): Kind | null {
  if (verdict !== "broken") return null;
  if (failure?.phase === "dns") return "dns";
  if (failure?.phase === "tls") return "tls";
  return status === 410 && !failure ? "gone" : "broken";
}

const inCrawl = {
  category: "external",
  scope: "external",
} as const;

/** A link to others that leads nowhere. */
export const extBroken: SiteCheck = {
  ...inCrawl,
  id: "ext.broken",
  severity: "error",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      if (kindOf(answer) !== "broken") continue;
      yield {
        ...told(
          asked,
          evidenceOf(crawl, asked),
          `${short(url)} can’t be opened: ${answer.reason}.`,
        ),
        ...weighed(crawl, url),
      };
    }
  },
};

/** A page of others that was taken away for good. */
export const extGone410: SiteCheck = {
  ...inCrawl,
  id: "ext.gone-410",
  severity: "error",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      if (kindOf(asked.answer) !== "gone") continue;
      yield {
        ...told(asked, evidenceOf(crawl, asked), `${short(asked.url)} was taken away for good.`),
        ...weighed(crawl, asked.url),
      };
    }
  },
};

/** A host that has no address. */
export const extDns: SiteCheck = {
  ...inCrawl,
  id: "ext.dns",
  severity: "error",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      if (kindOf(answer) !== "dns") continue;
      const { host } = new URL(url);
      const evidence = { ...evidenceOf(crawl, asked), host, code: answer.failure?.code ?? null };
      yield {
        ...told(asked, evidence, `There is no site at ${host}, where ${short(url)} leads.`),
        ...weighed(crawl, url),
      };
    }
  },
};

/** A host whose certificate browsers refuse. */
export const extTls: SiteCheck = {
  ...inCrawl,
  id: "ext.tls",
  severity: "error",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      if (kindOf(answer) !== "tls") continue;
      const { host } = new URL(url);
      const evidence = { ...evidenceOf(crawl, asked), host, error: answer.failure?.code ?? null };
      yield {
        ...told(asked, evidence, `Browsers warn before ${short(url)}: ${answer.reason}.`),
        ...weighed(crawl, url),
      };
    }
  },
};

/** Who stands before a site, by its headers. */
function vendorOf({ headers }: Answer): string | null {
  if (headers["cf-mitigated"] !== undefined || /cloudflare/i.test(headers["server"] ?? "")) {
    return "Cloudflare";
  }
  if (headers["x-datadome"] !== undefined) return "DataDome";
  if (headers["x-amzn-waf-action"] !== undefined) return "AWS";
  return /akamai/i.test(headers["server"] ?? "") ? "Akamai" : null;
}

/** A link that only people can open: nothing is said of it. */
export const extBlocked: SiteCheck = {
  ...inCrawl,
  id: "ext.blocked",
  severity: "notice",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      // Without a status it was not asked, or the network was at fault.
      if (answer.verdict !== "unknown" || answer.status === null) continue;
      const evidence = { url, status: answer.status, vendor: vendorOf(answer) };
      yield {
        ...told(asked, evidence, `${short(url)} could not be checked: ${answer.reason}.`),
        confidence: "review",
      };
    }
  },
};

/** Addresses that lead on by their nature: short ones, and those that ask first. */
const passing =
  /(?:^|\.)(?:doi\.org|purl\.org|handle\.net|bit\.ly|t\.co|goo\.gl|youtu\.be|amzn\.to|lnkd\.in|tinyurl\.com|ow\.ly|buff\.ly|w3id\.org|g\.co|aka\.ms|perma\.cc)$/i;
const asksFirst = /\b(?:log-?in|sign-?in|auth|consent|session|sso|captcha|challenge|cookie)/i;

const isRoot = (url: URL): boolean => url.pathname === "/" && url.search === "";

/** A page of others that has moved for good. */
export const extRedirectPermanent: SiteCheck = {
  ...inCrawl,
  id: "ext.redirect-permanent",
  severity: "notice",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      const { hops, finalUrl, verdict } = answer;
      if (verdict !== "ok" || hops.length === 0) continue;
      if (!hops.every(({ status }) => status === 301 || status === 308)) continue;
      const [from, to] = [new URL(url), URL.parse(finalUrl)];
      if (!to || passing.test(from.hostname) || asksFirst.test(to.href)) continue;
      // A language of the visitor's, or the start page instead of what was there, is no move.
      if (isRoot(from) && to.host === from.host && !isRoot(to)) continue;
      if (!isRoot(from) && isRoot(to)) continue;
      const evidence = { from: url, to: finalUrl, hops: hopsOf(answer) };
      yield told(asked, evidence, `${short(url)} has moved to ${short(finalUrl)}.`);
    }
  },
};

/** Pages whose places a script makes: nothing can tell whether they are there. */
const byScript = /^#(?:!|\/)/;

/** Places on pages of others that nobody can look for without a browser; told once for the site. */
export const extFragmentUnverifiable: SiteCheck = {
  ...inCrawl,
  id: "ext.fragment-unverifiable",
  severity: "notice",
  *look(crawl) {
    const found = crawl.references.filter(({ url, kind }) => {
      if (kind !== "link" || crawl.isOwn(url)) return false;
      return byScript.test(URL.parse(url)?.hash ?? "");
    });
    if (found.length === 0) return;
    const urls = [...new Set(found.map(({ url }) => url))];
    const what =
      urls.length === 1
        ? "A place on a page of others"
        : `${urls.length} places on pages of others`;
    yield {
      ...toldAt(found),
      page: "/",
      at: "fragments",
      shared: true,
      confidence: "review",
      evidence: { urls: urls.slice(0, 50), reason: "a script makes the page" },
      message: `${what} could not be looked for: a script makes the page.`,
    };
  },
};

/** Houses of those who sell names that nobody uses. */
const parkingHosts =
  /(?:^|\.)(?:sedo|sedoparking|hugedomains|dan|afternic|bodis|parkingcrew|above|parklogic|undeveloped|domainmarket|buydomains|sav|epik|uniregistry|namebright|domain-for-sale)\.(?:com|net)$/i;
const parkingWords =
  /<title>[^<]{0,80}\b(?:domain (?:is |name )?(?:for sale|parked)|this domain|buy this domain|parked (?:domain|free)|domain expired)\b/i;
const lostWords =
  /<title>\s*(?:error\s*)?(?:404\b|page not found|not found\b|seite nicht gefunden)/i;

function signalsOf(url: string, answer: Answer): string[] {
  const [from, to] = [new URL(url), URL.parse(answer.finalUrl)];
  const moved = to !== null && answer.hops.length > 0;
  return [
    ...(to && to.host !== from.host && parkingHosts.test(to.host)
      ? [`it leads to ${to.host}`]
      : []),
    ...(parkingWords.test(answer.head) ? ["its title offers the name for sale"] : []),
    ...(lostWords.test(answer.head) ? ["its title says that nothing is there"] : []),
    ...(moved && !isRoot(from) && isRoot(to) && from.pathname.length > 4 && !passing.test(from.host)
      ? ["it leads to the start page"]
      : []),
  ];
}

/** A page of others that seems to be gone, though it answers. */
export const extParkedOrSoft404: SiteCheck = {
  ...inCrawl,
  id: "ext.parked-or-soft404",
  severity: "notice",
  *look(crawl) {
    for (const asked of strangers(crawl)) {
      const { url, answer } = asked;
      const signals = answer.verdict === "ok" ? signalsOf(url, answer) : [];
      if (signals.length === 0) continue;
      yield {
        ...told(
          asked,
          { url, final: answer.finalUrl, signals },
          `${short(url)} seems to be gone: ${signals.join(", ")}.`,
        ),
        confidence: "review",
      };
    }
  },
};
