import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-fixture.ts";

const home = (to: string) => `<!doctype html><title>Home</title><a href="${to}">Away</a>`;
const late = { failure: { phase: "headers", code: "ETIMEDOUT", ms: 10_000 } } as const;

export const cases: SiteFixture = {
  "page.status-4xx": {
    bad: [
      {
        why: "nothing leads there",
        responses: { "/": home("/"), "/gone/": { status: 404 } },
        page: "/gone/",
        evidence: { url: "https://example.com/gone/", status: 404 },
      },
      { why: "the start itself", responses: { "/": { status: 410 } }, page: "/" },
    ],
    good: [
      { why: "is told at the link", responses: { "/": home("/gone/"), "/gone/": { status: 404 } } },
      {
        why: "is told of the sitemap",
        responses: { "/": home("/"), "/gone/": { status: 404 } },
        probes: { entries: [listed("/gone/")] },
      },
      { why: "asks for a sign-in", responses: { "/": home("/"), "/mine/": { status: 401 } } },
      { why: "too many questions", responses: { "/": home("/"), "/busy/": { status: 429 } } },
      {
        why: "of others",
        responses: { "/": home("/"), "https://other.example/": { status: 404 } },
      },
      {
        why: "a picture",
        responses: { "/": `<img src="/gone.png" alt="">`, "/gone.png": { status: 404 } },
      },
    ],
  },
  "page.status-5xx": {
    bad: [
      {
        responses: { "/": home("/ill/"), "/ill/": { status: 500, body: "Oh no" } },
        page: "/ill/",
        evidence: { status: 500, head: "Oh no" },
      },
    ],
    good: [
      {
        why: "out of service for now",
        responses: { "/": home("/ill/"), "/ill/": { status: 503 } },
      },
      { responses: { "/": home("/ill/"), "/ill/": { status: 404 } } },
    ],
  },
  "page.timeout": {
    bad: [
      {
        responses: { "/": home("/slow/"), "/slow/": late },
        page: "/slow/",
        evidence: { phase: "headers", ms: 10_000 },
        message: "within 10.0 seconds",
      },
      {
        why: "a reset is no delay",
        responses: {
          "/": home("/cut/"),
          "/cut/": { failure: { phase: "headers", code: "ECONNRESET", ms: 3 } },
        },
        page: "/cut/",
        message: "closes the connection without a response",
      },
    ],
    good: [
      { responses: { "/": home("/slow/"), "/slow/": { firstByteMs: 9000, body: "x" } } },
      {
        why: "a loop is told as that",
        responses: {
          "/": home("/a/"),
          "/a/": { failure: { phase: "redirect", code: "LOOP", ms: 5 } },
        },
      },
      {
        why: "ours as well",
        responses: { "/": home("/slow/"), "/slow/": { ...late, verdict: "unknown" } },
      },
    ],
  },
};
