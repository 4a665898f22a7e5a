import type { PageFixture } from "../fixture.ts";

const canonical = (href: string, head = "") => ({
  swap: [/<link rel="canonical"[^>]*>/, `<link rel="canonical" href="${href}">${head}`] as const,
});
const files = {
  "whole/index.html": `<!doctype html><title>Whole</title><link rel="alternate" media="(max-width: 40em)" href="/t/">`,
  "en/index.html": `<!doctype html><html lang="en"><title>Ada</title><link rel="alternate" hreflang="sv" href="/t/">`,
  "quiet/index.html": `<!doctype html><title>Quiet</title><meta name="robots" content="noindex">`,
  "original/index.html": `<!doctype html><html lang="en"><title>Page /t/</title><main><h1>Work</h1><p>Things that were made.</p></main>`,
  "list/index.html": `<!doctype html><html lang="en"><title>Page /t/</title><main><h1>All</h1><p>Lamps, chairs and other works from ten years.</p></main>`,
};

export const cases: PageFixture = {
  "seo.canonical-missing": {
    bad: [{ swap: [/<link rel="canonical"[^>]*>/, ""] }],
    good: [{ swap: [/<link rel="canonical"[^>]*>/, `<meta name="robots" content="noindex">`] }],
  },
  "seo.canonical-broken": {
    bad: [
      { ...canonical("https://example.com/gone/"), message: "doesn’t lead to a page" },
      { ...canonical("/old/"), message: "redirects to /about/" },
      { ...canonical("/quiet/"), files, evidence: { noindex: true } },
    ],
    good: [
      canonical("/t/"),
      { why: "the program answers", ...canonical("/api/x") },
      { why: "asks for a sign-in", ...canonical("/in/"), responses: { "/in/": { status: 401 } } },
      {
        why: "neither is listed",
        ...canonical("/quiet/", `<meta name="robots" content="noindex">`),
        files,
      },
    ],
  },
  "seo.canonical-mismatch": {
    bad: [
      canonical("https://example.com/about/"),
      { why: "another query", at: "/t/", ...canonical("/t/?id=4"), responses: { "/t/?id=4": {} } },
      { why: "a translation names the other", ...canonical("/en/"), files },
      { why: "one head for many pages", ...canonical("/list/"), files, severity: "warning" },
      { why: "another host", ...canonical("https://other.example/t/") },
    ],
    good: [
      canonical("https://example.com/t/?"),
      { why: "told as broken", ...canonical("/old/") },
      { why: "a copy", ...canonical("/original/"), files },
      { why: "the version for telephones", ...canonical("/whole/"), files },
    ],
  },
};
