import type { AnswerSketch, SiteFixture } from "../fixture.ts";

const home = "<!doctype html><title>Home</title><p>Boats";
const sends = (headers: Record<string, string>, body = home): Record<string, AnswerSketch> => ({
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
      { answers: { "/": home }, page: "/", says: "No page has", evidence: { pages: 1 } },
      { answers: { ...sends(safe), "/a/": home }, page: "/a/", says: "1 of 2 pages" },
      { answers: sends({ "content-security-policy-report-only": "default-src 'self'" }) },
    ],
    good: [
      { answers: sends(safe) },
      {
        why: "in the page",
        answers: {
          "/": `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`,
        },
      },
      { why: "did not come now", answers: { "/": { body: home, notModified: true } } },
    ],
  },
  "sec.hsts": {
    bad: [
      { answers: { "/": home }, evidence: { header: null } },
      { answers: sends({ "strict-transport-security": "max-age=60" }), evidence: { seconds: 60 } },
    ],
    good: [
      { answers: sends({ "strict-transport-security": "max-age=31536000; includeSubDomains" }) },
      { why: "not encrypted", origin: "http://example.com", answers: { "/": home } },
      { why: "at home", origin: "https://localhost:4321", answers: { "/": home } },
    ],
  },
  "sec.nosniff-frame-referrer": {
    bad: [
      {
        answers: sends({ "x-content-type-options": "nosniff" }),
        evidence: { headers: ["X-Frame-Options", "Referrer-Policy"] },
      },
    ],
    good: [
      { answers: sends(safe) },
      {
        answers: sends(
          { ...safe, "content-security-policy": "default-src 'self'", "x-frame-options": "DENY" },
          `<meta name="referrer" content="no-referrer">`,
        ),
      },
    ],
  },
  "sec.cookie-flags": {
    bad: [
      {
        answers: cookie("session=abc; Path=/; SameSite=Lax"),
        target: "session",
        evidence: { flags: ["SameSite=Lax"], missing: ["Secure", "HttpOnly"] },
      },
      {
        why: "each once",
        answers: { ...cookie("a=1", "b=2"), "/a/": { headers: { "set-cookie": "a=1" } } },
        finds: 2,
      },
      { why: "without encryption", origin: "http://example.com", answers: cookie("sid=1; Path=/") },
    ],
    good: [
      { answers: cookie("session=abc; Secure; HttpOnly; SameSite=Lax") },
      { why: "scripts have to read it", answers: cookie("csrf_token=abc; Secure") },
      { why: "a choice", answers: cookie("theme=dark; Secure; Path=/") },
      { why: "is taken away", answers: cookie("session=; Max-Age=0") },
      {
        why: "of others",
        answers: { "/": home, "https://other.example/": { headers: { "set-cookie": "sid=1" } } },
      },
    ],
  },
  "sec.version-leak": {
    bad: [
      { answers: sends({ server: "nginx/1.18.0" }), evidence: { server: "nginx/1.18.0" } },
      { answers: sends({ "x-powered-by": "PHP/7.4.3" }) },
    ],
    good: [
      { answers: sends({ server: "nginx", "x-powered-by": "Express" }) },
      {
        why: "of others",
        answers: { "/": home, "https://other.example/": { headers: { server: "Apache/2.4.1" } } },
      },
    ],
  },
};
