import type { PageFixture } from "../fixture.ts";

const mail = (to: string) => ({ main: `<a href="mailto:${to}">x y</a>` });

export const cases: PageFixture = {
  "link.mailto-invalid": {
    bad: [
      mail("me at example.com"),
      { why: "nothing at all", ...mail("") },
      { why: "an empty field", ...mail("?subject=") },
      mail("me@müller"),
    ],
    good: [
      mail("me@example.com?subject=Hi%20there"),
      { why: "to share a page", ...mail("?subject=A%20page&body=https%3A%2F%2Fexample.com") },
      { why: "to whom is a field", ...mail("?to=me@example.com") },
      { why: "a host in its own letters", ...mail("info@müller.de") },
      { why: "in another script", ...mail("почта@пример.рф") },
      mail("a@example.com,%20b@example.org"),
      { why: "what is left over at the end", ...mail("me@example.com,") },
    ],
  },
};
