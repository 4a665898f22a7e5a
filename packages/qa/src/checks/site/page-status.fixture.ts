import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-sketch.ts";

const home = (to: string) => `<!doctype html><title>Home</title><a href="${to}">Away</a>`;
const late = { failure: { phase: "headers", code: "ETIMEDOUT", ms: 10_000 } } as const;

export const cases: SiteFixture = {
  "page.status-4xx": {
    bad: [
      {
        why: "nothing leads there",
        answers: { "/": home("/"), "/gone/": { status: 404 } },
        page: "/gone/",
        evidence: { url: "https://example.com/gone/", status: 404 },
      },
      { why: "the start itself", answers: { "/": { status: 410 } }, page: "/" },
    ],
    good: [
      { why: "is told at the link", answers: { "/": home("/gone/"), "/gone/": { status: 404 } } },
      {
        why: "is told of the sitemap",
        answers: { "/": home("/"), "/gone/": { status: 404 } },
        probes: { entries: [listed("/gone/")] },
      },
      { why: "asks for a sign-in", answers: { "/": home("/"), "/mine/": { status: 401 } } },
      { why: "too many questions", answers: { "/": home("/"), "/busy/": { status: 429 } } },
      { why: "of others", answers: { "/": home("/"), "https://other.example/": { status: 404 } } },
      {
        why: "a picture",
        answers: { "/": `<img src="/gone.png" alt="">`, "/gone.png": { status: 404 } },
      },
    ],
  },
  "page.status-5xx": {
    bad: [
      {
        answers: { "/": home("/ill/"), "/ill/": { status: 500, body: "Oh no" } },
        page: "/ill/",
        evidence: { status: 500, head: "Oh no" },
      },
    ],
    good: [
      { why: "out of service for now", answers: { "/": home("/ill/"), "/ill/": { status: 503 } } },
      { answers: { "/": home("/ill/"), "/ill/": { status: 404 } } },
    ],
  },
  "page.timeout": {
    bad: [
      {
        answers: { "/": home("/slow/"), "/slow/": late },
        page: "/slow/",
        evidence: { phase: "headers", ms: 10_000 },
      },
    ],
    good: [
      { answers: { "/": home("/slow/"), "/slow/": { firstByteMs: 9000, body: "x" } } },
      {
        why: "a loop is told as that",
        answers: {
          "/": home("/a/"),
          "/a/": { failure: { phase: "redirect", code: "LOOP", ms: 5 } },
        },
      },
      {
        why: "ours as well",
        answers: { "/": home("/slow/"), "/slow/": { ...late, verdict: "unknown" } },
      },
    ],
  },
};
