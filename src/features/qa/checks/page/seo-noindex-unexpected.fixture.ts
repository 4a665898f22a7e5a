import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.noindex-unexpected": {
    bad: [
      {
        main: "",
        head: `<meta name="robots" content="noindex">`,
        files: { "sitemap-0.xml": "<urlset><url><loc>https://example.com/t/</loc></url></urlset>" },
      },
    ],
    good: [{ main: "", head: `<meta name="robots" content="noindex">` }],
  },
};
