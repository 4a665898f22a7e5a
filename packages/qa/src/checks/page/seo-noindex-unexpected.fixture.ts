import type { PageFixture } from "../fixture.ts";

const noindex = { head: `<meta name="robots" content="noindex">` };
const listed = {
  "sitemap-0.xml": "<urlset><url><loc>https://example.com/t/</loc></url></urlset>",
};
const header = (value: string) => ({ "/": { headers: { "x-robots-tag": value } } });

export const cases: PageFixture = {
  "seo.noindex-unexpected": {
    bad: [
      { ...noindex, files: listed, evidence: { source: "meta", inSitemap: true } },
      { why: "the start page", at: "/", ...noindex },
      {
        why: "by its header",
        at: "/",
        responses: header("noindex"),
        evidence: { source: "header" },
      },
    ],
    good: [
      { why: "nothing offers it", ...noindex },
      { why: "for one robot", at: "/", responses: header("somebot: noindex") },
      {
        why: "for one robot, with two rules",
        at: "/",
        responses: header("otherbot: noindex, nofollow"),
      },
      { why: "no picture of it", at: "/", responses: header("max-image-preview:none") },
      { why: "asks for something else", at: "/", responses: header("noarchive") },
    ],
  },
};
