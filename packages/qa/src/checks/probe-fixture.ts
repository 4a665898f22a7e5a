import type { CrawlResponse } from "../crawl/crawl.ts";
import type {
  FeedProbe,
  FormResponse,
  FormProbe,
  GateProbe,
  HealthProbe,
  NotFoundProbe,
  Robots,
  Sitemap,
  SitemapEntry,
} from "../probe/probes.ts";

// Probe results for fixtures: everything is fine except for what a case overrides.

const origin = "https://example.com";

export function responseFor(
  path: string,
  status: number | null,
  more: Partial<CrawlResponse> = {},
): CrawlResponse {
  const url = new URL(path, origin).href;
  const broken = status === null || (status >= 400 && status !== 403 && status !== 429);
  return {
    url,
    method: "GET",
    status,
    verdict: broken ? "broken" : status === 403 || status === 429 ? "unknown" : "ok",
    reason: null,
    failure: null,
    headers: {},
    hops: [],
    finalUrl: url,
    bytes: 100,
    wireBytes: 100,
    truncated: false,
    hash: null,
    sniffed: null,
    image: null,
    firstByteMs: 10,
    ms: 12,
    attempts: [],
    head: "",
    notModified: false,
    retryAfterMs: null,
    ...more,
  };
}

export function notFound(more: Partial<NotFoundProbe> = {}): NotFoundProbe {
  const response = responseFor("/nothing-x/", 404);
  return { response, leadsTo: null, isNoindex: true, homeLink: true, links: 4, words: 9, ...more };
}

export function robots(more: Partial<Robots> = {}): Robots {
  return {
    url: `${origin}/robots.txt`,
    response: responseFor("/robots.txt", 200),
    text: "User-agent: *\nAllow: /\n",
    sitemaps: [],
    isAllowed: () => true,
    lineFor: () => null,
    ...more,
  };
}

export function sitemap(more: Partial<Sitemap> = {}): Sitemap {
  return {
    url: `${origin}/sitemap.xml`,
    from: "robots",
    response: responseFor("/sitemap.xml", 200),
    kind: "urls",
    error: null,
    count: 1,
    bytes: 1000,
    cut: false,
    ...more,
  };
}

export function listed(path: string, lastmod: string | null = null): SitemapEntry {
  return { loc: new URL(path, origin).href, lastmod, sitemap: `${origin}/sitemap.xml`, line: 3 };
}

export function feed(more: Partial<FeedProbe> = {}): FeedProbe {
  return {
    url: `${origin}/rss.xml`,
    page: "/",
    selector: "head link",
    response: responseFor("/rss.xml", 200),
    format: "rss",
    error: null,
    items: 3,
    broken: [],
    ...more,
  };
}

export function health(more: Partial<HealthProbe> = {}): HealthProbe {
  return {
    response: responseFor("/api/health", 200),
    invalid: null,
    status: "ok",
    down: [],
    migrations: { status: "ok", note: "" },
    times: [4, 5, 5, 6, 9],
    ...more,
  };
}

export function gate(path: string, status: number | null, likeAnything = false): GateProbe {
  return { path, expected: 401, response: responseFor(path, status), likeAnything };
}

export function formResponse(
  status: number | null,
  more: Partial<FormResponse> = {},
): FormResponse {
  const ok = status === null ? null : status < 400;
  return {
    status,
    ms: 9,
    type: "application/json",
    invalid: null,
    ok,
    code: ok === false ? "validation_failed" : null,
    fields: [],
    location: null,
    ...more,
  };
}

export function form(more: Partial<FormProbe> = {}): FormProbe {
  return {
    page: "/contact/",
    selector: "main form",
    line: 12,
    action: "/api/contact",
    honeypot: "website",
    required: ["name", "email", "message"],
    get: formResponse(405, { code: "method_not_allowed" }),
    foreign: formResponse(403, { code: "bad_origin" }),
    honeypotFilled: formResponse(200),
    honeypotHash: "abc",
    messages: { before: 2, after: 2 },
    honeypotWrote: false,
    takesJson: true,
    plain: formResponse(303, { type: "", ok: null, location: "/contact/?sent=1" }),
    empty: formResponse(422, { fields: ["name", "email", "message"] }),
    emptyMessages: { before: 2, after: 2 },
    statuses: [405, 403, 200, 303, 422],
    loopback: true,
    ...more,
  };
}
