import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "asset.css-url-broken": {
    bad: [
      {
        main: "",
        files: {
          "site.css":
            "html{color:#222;background:#fff}a{color:#00c}.a{background-image:url(/gone.png)}",
        },
      },
    ],
    good: [
      {
        main: "",
        files: {
          "site.css": `html{color:#222;background:#fff}a{color:#00c}.a{background-image:url("p.png"),url(data:image/png;base64,aa);mask:url(#m)}`,
        },
      },
    ],
  },
};
