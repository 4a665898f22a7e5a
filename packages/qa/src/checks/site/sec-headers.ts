import type { SiteCheck, SiteReport } from "../../check.ts";
import type { CrawlResponse, Crawl, CrawledPage } from "../../crawl/crawl.ts";
import { attribute } from "../../page/dom.ts";
import { metaOf, type Page } from "../../page/page.ts";
import { ownResponses, pagesOf, pathOf } from "../locations.ts";

/** A header that is missing on some or all pages: one setting, reported once. */
function lacking(
  pages: readonly CrawledPage[],
  all: number,
): Pick<SiteReport, "page" | "otherLocations" | "shared"> & { where: string } {
  const [first, ...others] = pages;
  const places = others.slice(0, 100).map(({ path }) => {
    return { page: path, selector: "", line: null, text: "" };
  });
  const where = pages.length === all ? "No page" : `${pages.length} of ${all} pages`;
  return { page: first?.path ?? "/", otherLocations: places, shared: true, where };
}

/** A page whose source contains a text: parsing the others would only cost time. */
function pageWith(crawl: Crawl, { path, url }: CrawledPage, words: RegExp): Page | undefined {
  const text = crawl.text(url);
  return text === undefined || words.test(text) ? crawl.page(path) : undefined;
}

const hasPolicy = (page: Page | undefined): boolean =>
  page
    ?.all("meta")
    .some((meta) => attribute(meta, "http-equiv")?.toLowerCase() === "content-security-policy") ??
  false;

/** Reports pages that would run any injected script. */
export const secCsp: SiteCheck = {
  id: "sec.csp",
  category: "security",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const pages = pagesOf(crawl).filter(({ response }) => !response.notModified);
    const without = pages.filter((page) => {
      if (page.response.headers["content-security-policy"] !== undefined) return false;
      return !hasPolicy(pageWith(crawl, page, /content-security-policy/i));
    });
    if (without.length === 0) return;
    const { where, ...place } = lacking(without, pages.length);
    const only = without[0]?.response.headers["content-security-policy-report-only"] ?? null;
    yield {
      ...place,
      at: "missing",
      evidence: { header: null, reportOnly: only, pages: without.length },
      message:
        where === "No page"
          ? "No page has a content security policy."
          : `${where} have no content security policy.`,
    };
  },
};

const isPublic = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin);
  return (
    protocol === "https:" &&
    hostname.includes(".") &&
    !/^[\d.]+$|:|\.(?:local|localhost|test|internal)$/.test(hostname)
  );
};

const day = 24 * 60 * 60;

/** Reports a site that lets browsers return unencrypted (RFC 6797). */
export const secHsts: SiteCheck = {
  id: "sec.hsts",
  category: "security",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const response = crawl.responses.get(crawl.start);
    if (!response || !isPublic(crawl.origin) || response.status !== 200 || response.notModified)
      return;
    const header = response.headers["strict-transport-security"];
    const age = Number(/max-age\s*=\s*"?(\d+)/i.exec(header ?? "")?.[1] ?? 0);
    if (age >= 30 * day) return;
    yield {
      page: "/",
      at: "header",
      shared: true,
      evidence: { header: header ?? null, seconds: age },
      message:
        header === undefined
          ? "The site doesn’t tell browsers to always use HTTPS."
          : `The site tells browsers to use HTTPS for only ${Math.round(age / day)} days.`,
    };
  },
};

/** The protective headers that a response and its page lack. */
function missingIn({ headers }: CrawlResponse, page: Page | undefined): string[] {
  const policy = headers["content-security-policy"] ?? "";
  const framed = headers["x-frame-options"] !== undefined || /frame-ancestors/i.test(policy);
  const referrer =
    headers["referrer-policy"] !== undefined || (page && metaOf(page, "referrer") !== undefined);
  return [
    ...(/nosniff/i.test(headers["x-content-type-options"] ?? "") ? [] : ["X-Content-Type-Options"]),
    ...(framed ? [] : ["X-Frame-Options"]),
    ...(referrer ? [] : ["Referrer-Policy"]),
  ];
}

/**
 * Reports missing headers that prevent type guessing, framing, and leaking addresses to other
 * sites.
 */
export const secNosniffFrameReferrer: SiteCheck = {
  id: "sec.nosniff-frame-referrer",
  category: "security",
  severity: "notice",
  scope: "site",
  *run(crawl) {
    const pages = pagesOf(crawl).filter(({ response }) => !response.notModified);
    const found = pages.flatMap((page) => {
      const missing = missingIn(page.response, pageWith(crawl, page, /\breferrer\b/i));
      return missing.length > 0 ? [{ page, missing }] : [];
    });
    if (found.length === 0) return;
    const missing = [...new Set(found.flatMap((one) => one.missing))];
    const { where, ...place } = lacking(
      found.map(({ page }) => page),
      pages.length,
    );
    yield {
      ...place,
      at: "headers",
      evidence: { headers: missing, pages: found.length },
      message: `${where === "No page" ? "Pages" : where} lack ${missing.join(", ")}.`,
    };
  },
};

interface Cookie {
  name: string;
  flags: string[];
  faults: string[];
}

const versionHeaders = /sess|(?:^|[_-])sid(?:$|[_-])|auth|token|jwt|log-?in|remember/i;
const readable = /csrf|xsrf/i;

function readCookie(line: string, secure: boolean): Cookie | null {
  const [pair = "", ...rest] = line.split(";").map((part) => part.trim());
  const name = pair.split("=")[0]?.trim() ?? "";
  const expired = rest.some(
    (flag) => /^max-age=(?:0|-\d+)$/i.test(flag) || /^expires=.*\b1970\b/i.test(flag),
  );
  if (name === "" || expired) return null;
  const has = (flag: string) => rest.some((one) => one.toLowerCase() === flag);
  const open = has("samesite=none");
  const faults = [
    ...(secure && !has("secure") ? ["Secure"] : []),
    ...(versionHeaders.test(name) && !readable.test(name) && !has("httponly") ? ["HttpOnly"] : []),
    ...(!secure && open && !has("secure") ? ["Secure (for SameSite=None)"] : []),
  ];
  const flags = rest.filter((flag) => !/^(?:expires|max-age|path|domain)=/i.test(flag));
  return { name, flags, faults };
}

/** Reports a cookie that can be read on the network or by any script of a page. */
export const secCookieFlags: SiteCheck = {
  id: "sec.cookie-flags",
  category: "security",
  severity: "error",
  scope: "site",
  *run(crawl) {
    const reported = new Set<string>();
    const secure = isPublic(crawl.origin);
    for (const [url, response] of ownResponses(crawl)) {
      for (const line of (response.headers["set-cookie"] ?? "").split("\n")) {
        const cookie = readCookie(line, secure);
        if (!cookie || cookie.faults.length === 0 || reported.has(cookie.name)) continue;
        reported.add(cookie.name);
        yield {
          page: pathOf(url),
          target: cookie.name,
          shared: true,
          evidence: { name: cookie.name, flags: cookie.flags, missing: cookie.faults },
          message: `The cookie ${cookie.name} lacks ${cookie.faults.join(" and ")}.`,
        };
      }
    }
  },
};

/** Reports a server that reveals its version, and with it its known vulnerabilities. */
export const secVersionLeak: SiteCheck = {
  id: "sec.version-leak",
  category: "security",
  severity: "notice",
  scope: "site",
  *run(crawl: Crawl) {
    const names = ["server", "x-powered-by", "x-aspnet-version", "x-aspnetmvc-version"];
    const found = new Map<string, string>();
    for (const [, { headers }] of ownResponses(crawl)) {
      for (const name of names) {
        const value = headers[name];
        if (value !== undefined && /\d+\.\d/.test(value)) found.set(name, value);
      }
    }
    if (found.size === 0) return;
    const headerLines = [...found].map(([name, value]) => `${name}: ${value}`);
    yield {
      page: "/",
      at: "headers",
      shared: true,
      evidence: Object.fromEntries(found),
      message: `The server reveals its version (${headerLines.join(", ").slice(0, 120)}).`,
    };
  },
};
