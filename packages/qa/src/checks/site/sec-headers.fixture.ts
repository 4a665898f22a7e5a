import type { ResponseFixture, SiteFixture } from "../fixture.ts";

const home = "<!doctype html><title>Home</title><p>Boats";
const sends = (headers: Record<string, string>, body = home): Record<string, ResponseFixture> => ({
  "/": { body, headers },
});
const safe = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};
const cookie = (...lines: string[]) => sends({ "set-cookie": lines.join("\n") });

export const cases: SiteFixture = {
  "sec.csp": {
    bad: [
      { responses: { "/": home }, page: "/", message: "No page has", evidence: { pages: 1 } },
      { responses: { ...sends(safe), "/a/": home }, page: "/a/", message: "1 of 2 pages" },
      { responses: sends({ "content-security-policy-report-only": "default-src 'self'" }) },
    ],
    good: [
      { responses: sends(safe) },
      {
        why: "in the page",
        responses: {
          "/": `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`,
        },
      },
      { why: "did not come now", responses: { "/": { body: home, notModified: true } } },
    ],
  },
  "sec.hsts": {
    bad: [
      { responses: { "/": home }, evidence: { header: null } },
      {
        responses: sends({ "strict-transport-security": "max-age=60" }),
        evidence: { seconds: 60 },
      },
    ],
    good: [
      { responses: sends({ "strict-transport-security": "max-age=31536000; includeSubDomains" }) },
      { why: "not encrypted", origin: "http://example.com", responses: { "/": home } },
      { why: "at home", origin: "https://localhost:4321", responses: { "/": home } },
    ],
  },
  "sec.nosniff-frame-referrer": {
    bad: [
      {
        responses: sends({ "x-content-type-options": "nosniff" }),
        evidence: { headers: ["X-Frame-Options", "Referrer-Policy"] },
      },
    ],
    good: [
      { responses: sends(safe) },
      {
        responses: sends(
          { ...safe, "content-security-policy": "default-src 'self'", "x-frame-options": "DENY" },
          `<meta name="referrer" content="no-referrer">`,
        ),
      },
    ],
  },
  "sec.cookie-flags": {
    bad: [
      {
        responses: cookie("session=abc; Path=/; SameSite=Lax"),
        target: "session",
        evidence: { flags: ["SameSite=Lax"], missing: ["Secure", "HttpOnly"] },
      },
      {
        why: "each once",
        responses: { ...cookie("a=1", "b=2"), "/a/": { headers: { "set-cookie": "a=1" } } },
        count: 2,
      },
      {
        why: "without encryption",
        origin: "http://example.com",
        responses: cookie("sid=1; Path=/"),
      },
    ],
    good: [
      { responses: cookie("session=abc; Secure; HttpOnly; SameSite=Lax") },
      { why: "scripts have to read it", responses: cookie("csrf_token=abc; Secure") },
      { why: "a choice", responses: cookie("theme=dark; Secure; Path=/") },
      { why: "is taken away", responses: cookie("session=; Max-Age=0") },
      {
        why: "of others",
        responses: { "/": home, "https://other.example/": { headers: { "set-cookie": "sid=1" } } },
      },
    ],
  },
  "sec.version-leak": {
    bad: [
      { responses: sends({ server: "nginx/1.18.0" }), evidence: { server: "nginx/1.18.0" } },
      { responses: sends({ "x-powered-by": "PHP/7.4.3" }) },
    ],
    good: [
      { responses: sends({ server: "nginx", "x-powered-by": "Express" }) },
      {
        why: "of others",
        responses: { "/": home, "https://other.example/": { headers: { server: "Apache/2.4.1" } } },
      },
    ],
  },
};
