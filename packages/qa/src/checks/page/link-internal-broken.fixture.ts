import type { PageFixture } from "../fixture.ts";

const files = {
  "projects/harbour-lights/index.html": "<!doctype html><title>Harbour lights · Ada</title>",
  "projects/harbour-nights/index.html": "<!doctype html><title>Harbour nights · Ada</title>",
  "projects/weather/index.html": "<!doctype html><title>Weather diary · Ada</title>",
};
const gone = { "/gone/": { status: 404, reason: "the page doesn't exist" } };

export const cases: PageFixture = {
  "link.internal-broken": {
    bad: [
      { main: `<a href="/gone/">Gone</a>`, safe: false, evidence: { candidate: null } },
      {
        why: "a slip of the pen",
        main: `<a href="/projects/wether/">Weather</a>`,
        files,
        safe: true,
        evidence: { target: "/projects/wether/", candidate: "/projects/weather/" },
      },
      {
        why: "one letter too many in a short name",
        main: `<a href="/aboutt/">Me</a>`,
        safe: true,
        evidence: { candidate: "/about/" },
      },
      {
        why: "another letter in a short name, which may be another page",
        main: `<a href="/abort/">Me</a>`,
        safe: false,
        evidence: { candidate: "/about/" },
      },
      {
        why: "it has moved",
        main: `<a href="/work/2025/weather.html">Weather</a>`,
        files,
        safe: true,
        evidence: { candidate: "/projects/weather/" },
      },
      {
        why: "called as the link is",
        main: `<a href="/diary-of-days/">Weather diary</a>`,
        files,
        safe: true,
        evidence: { candidate: "/projects/weather/" },
      },
      {
        why: "two come into question",
        main: `<a href="/projects/harbour-xights/">Harbour</a>`,
        files,
        safe: false,
      },
      {
        why: "a file",
        main: `<a href="/cv.pdf">My life</a>`,
        safe: false,
        evidence: { candidate: null },
      },
      {
        why: "a redirect after some time",
        head: `<meta http-equiv="refresh" content="30; url='/gone/'">`,
        target: "/gone/",
        message: "redirects visitors to /gone/",
      },
      {
        why: "a redirect for visitors without scripts",
        head: `<noscript><meta http-equiv="refresh" content="0;URL=/gone/"></noscript>`,
        target: "/gone/",
        message: "visitors without scripts",
      },
      {
        why: "on a crawled site",
        main: `<a href="/gone/">Gone</a>`,
        responses: gone,
        evidence: { status: 404, reason: "the page doesn't exist" },
      },
    ],
    good: [
      {
        why: "relative to what the page says",
        head: `<base href="/projects/">`,
        main: `<a href="weather/">Weather</a>`,
        files,
      },
      {
        main: `<a href="/about">A</a><a href="../about/">B</a><a href="/admin">C</a><a href="https://example.com/about/">D</a><a href="https://other.example/x">E</a>`,
      },
      {
        why: "redirects to pages, to itself, and to elsewhere",
        head: `<meta http-equiv="refresh" content="30; /about/"><meta http-equiv="refresh" content="9"><meta http-equiv="refresh" content="9;url=https://other.example/">`,
      },
      { why: "told as a case", main: `<a href="/About/">About</a>` },
      {
        why: "asks for a sign-in",
        main: `<a href="/mine/">Mine</a>`,
        responses: { "/mine/": { status: 401 } },
      },
      {
        why: "the network before the site answers",
        main: `<a href="/cdn-cgi/l/email-protection#a1b2">[email protected]</a>`,
      },
      {
        why: "told as a timeout",
        main: `<a href="/slow/">Slow</a>`,
        responses: { "/slow/": { failure: { phase: "headers", code: "ETIMEDOUT", ms: 9 } } },
      },
    ],
  },
};
