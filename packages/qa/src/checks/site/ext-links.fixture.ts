import type { ResponseFixture, SiteCase, SiteFixture } from "../fixture.ts";

const url = "https://other.example/page";
const twice = { badRuns: 2, firstBadAt: "2026-11-20T12:00:00.000Z", lastOkAt: null };

/** A site whose start page links to a page of another site, which responds as given. */
export function answering(
  response: ResponseFixture,
  more: Partial<SiteCase> = {},
  to = url,
): SiteCase {
  const home = `<!doctype html><title>Home</title><a href="${to}">Other</a>`;
  return { responses: { "/": home, [to.replace(/#.*$/, "")]: response }, ...more };
}

const failing = (phase: "dns" | "tls" | "headers" | "refused", code: string): ResponseFixture => ({
  failure: { phase, code, ms: 9 },
  reason: "it did not come about",
});
const known = { externals: { [url]: twice } };

export const cases: SiteFixture = {
  "ext.broken": {
    bad: [
      {
        why: "once may be a moment",
        ...answering({ status: 404 }),
        severity: "warning",
        evidence: { url, status: 404, first_bad: null },
      },
      {
        why: "twice it is so",
        ...answering({ status: 404 }, known),
        severity: "error",
        evidence: { first_bad: twice.firstBadAt },
      },
      { why: "no answer", ...answering(failing("headers", "ETIMEDOUT")) },
    ],
    good: [
      answering("<p>Here"),
      { why: "a wall", ...answering({ status: 403 }) },
      { why: "too many questions", ...answering({ status: 429 }) },
      { why: "is told as gone", ...answering({ status: 410 }) },
      { why: "is told as a name", ...answering(failing("dns", "ENOTFOUND")) },
      { why: "nothing names it", responses: { "/": "<p>x", [url]: { status: 404 } } },
    ],
  },
  "ext.gone-410": {
    bad: [
      { ...answering({ status: 410 }), severity: "warning", evidence: { status: 410 } },
      { ...answering({ status: 410 }, known), severity: "error" },
    ],
    good: [answering({ status: 404 })],
  },
  "ext.dns": {
    bad: [
      {
        ...answering(failing("dns", "ENOTFOUND"), known),
        severity: "error",
        evidence: { host: "other.example", code: "ENOTFOUND" },
      },
    ],
    good: [
      {
        why: "ours as well",
        ...answering({ ...(failing("dns", "EAI_AGAIN") as object), verdict: "unknown" }),
      },
    ],
  },
  "ext.tls": {
    bad: [
      {
        ...answering(failing("tls", "CERT_HAS_EXPIRED"), known),
        severity: "error",
        evidence: { error: "CERT_HAS_EXPIRED" },
      },
    ],
    good: [answering("<p>Here")],
  },
  "ext.blocked": {
    bad: [
      { ...answering({ status: 403 }), severity: "notice", evidence: { status: 403 } },
      { ...answering({ status: 999 }) },
      {
        ...answering({ status: 503, headers: { "cf-mitigated": "challenge" } }),
        evidence: { vendor: "Cloudflare" },
      },
    ],
    good: [
      answering({ status: 404 }),
      {
        why: "was not asked",
        ...answering({ ...(failing("refused", "EPRIVATE") as object), verdict: "unknown" }),
      },
    ],
  },
  "ext.redirect-permanent": {
    bad: [
      {
        ...answering({ to: "/moved" }),
        evidence: { from: url, to: "https://other.example/moved" },
      },
    ],
    good: [
      { why: "for now", ...answering({ to: "/moved", status: 302 }) },
      { why: "asks to sign in", ...answering({ to: "/login?to=page" }) },
      {
        why: "by its nature",
        ...answering({ to: "https://other.example/a" }, {}, "https://doi.org/10.1/2"),
      },
      { why: "a language", ...answering({ to: "/en/" }, {}, "https://other.example/") },
    ],
  },
  "ext.parked-or-soft404": {
    bad: [
      { ...answering({ to: "/" }), evidence: { signals: ["it redirects to the home page"] } },
      { ...answering("<html><title>Page not found</title>") },
      { ...answering({ to: "https://www.hugedomains.com/x" }) },
    ],
    good: [
      answering({ to: "/moved" }),
      { why: "was the start page", ...answering({ to: "/" }, {}, "http://other.example/") },
      { why: "writes of it", ...answering("<title>How to handle 404 pages</title>") },
      { why: "answers with 404", ...answering({ status: 404, body: "<title>404</title>" }) },
    ],
  },
};
