import type { SiteFixture } from "../fixture.ts";

const home = (html: string) => `<!doctype html><title>Home</title>${html}`;
const sheet = home(`<link rel="stylesheet" href="/a.css">`);
const script = home(`<script src="/a.js"></script>`);
const link = home(`<a href="/a/">A</a>`);

export const cases: SiteFixture = {
  "page.content-type-mismatch": {
    bad: [
      {
        why: "a page for a style sheet",
        responses: { "/": sheet, "/a.css": "<p>Lost" },
        target: "/a.css",
        evidence: { header: "text/html; charset=utf-8" },
      },
      { why: "a page for a script", responses: { "/": script, "/a.js": "<p>Lost" } },
      {
        why: "a picture as a page",
        responses: { "/": link, "/a/": { body: "PNG", sniffed: "image/png" } },
        evidence: { sniffed: "image/png" },
      },
      {
        why: "a page as plain text",
        responses: { "/": link, "/a/": { body: "<p>A", type: "text/plain", sniffed: "text/html" } },
      },
    ],
    good: [
      { responses: { "/": sheet, "/a.css": { body: "a{}", type: "text/css" } } },
      { responses: { "/": script, "/a.js": { body: "1", type: "text/javascript" } } },
      {
        why: "browsers run it",
        responses: { "/": script, "/a.js": { body: "1", type: "text/plain" } },
      },
      {
        why: "a listing of code",
        responses: {
          "/": home(`<a href="/a.txt">A</a>`),
          "/a.txt": { body: "<p>", type: "text/plain", sniffed: "text/html" },
        },
      },
      {
        why: "a download",
        responses: {
          "/": home(`<a href="/a.zip">A</a>`),
          "/a.zip": { body: "PK", type: "application/octet-stream", sniffed: "application/zip" },
        },
      },
    ],
  },
};
