import type { PageFixture } from "../fixture.ts";

const data = (value: object) => ({
  head: `<script type="application/ld+json">${JSON.stringify({ "@context": "https://schema.org", ...value })}</script>`,
});

export const cases: PageFixture = {
  "meta.jsonld-syntax": {
    bad: [
      {
        main: "",
        head: `<script type="application/ld+json">{"a":}</script>`,
        message: "isn’t valid",
      },
    ],
    good: [{ main: "", head: `<script type="application/ld+json">{"a":1}</script>` }],
  },
  "meta.jsonld-required": {
    bad: [
      {
        ...data({ "@type": "Event", name: "Show" }),
        evidence: { "@type": "Event", missing: ["startDate", "location"] },
      },
      {
        ...data({ "@graph": [{ "@type": "Product", name: "Print" }] }),
        evidence: { missing: ["offers"] },
      },
      { why: "empty is missing", ...data({ "@type": "Person", name: "" }) },
    ],
    good: [
      data({ "@type": "Person", name: "Ada" }),
      { why: "under another name", ...data({ "@type": "Article", name: "On boats" }) },
      {
        why: "is told elsewhere in it",
        ...data({
          "@graph": [
            { "@type": "WebSite", "@id": "#site", url: "https://example.com/", name: "Ada" },
            {
              "@type": "Article",
              headline: "On boats",
              isPartOf: { "@id": "#site" },
              author: { "@type": "Person", "@id": "#me" },
            },
          ],
        }),
      },
      { why: "a type that needs nothing", ...data({ "@type": "Thing" }) },
    ],
  },
  "meta.jsonld-url-broken": {
    bad: [
      {
        ...data({ "@type": "Person", name: "Ada", image: "https://example.com/gone.png" }),
        evidence: { path: "image", url: "https://example.com/gone.png" },
      },
      {
        ...data({
          "@type": "BreadcrumbList",
          itemListElement: [{ "@type": "ListItem", item: "/gone/" }],
        }),
        evidence: { path: "itemListElement[0].item" },
      },
    ],
    good: [
      data({ "@type": "Person", name: "Ada", image: "/p.png", url: "https://example.com/" }),
      {
        why: "of others",
        ...data({ "@type": "Person", name: "Ada", url: "https://other.example/x" }),
      },
      {
        why: "only names it",
        ...data({ "@type": "Person", name: "Ada", "@id": "https://example.com/#me-gone" }),
      },
    ],
  },
};
