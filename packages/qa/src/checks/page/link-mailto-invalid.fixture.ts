import type { PageFixture } from "../fixture.ts";

const email = (to: string) => ({ main: `<a href="mailto:${to}">x y</a>` });

export const cases: PageFixture = {
  "link.mailto-invalid": {
    bad: [
      email("me at example.com"),
      { why: "nothing at all", ...email("") },
      { why: "an empty field", ...email("?subject=") },
      email("me@müller"),
    ],
    good: [
      email("me@example.com?subject=Hi%20there"),
      { why: "to share a page", ...email("?subject=A%20page&body=https%3A%2F%2Fexample.com") },
      { why: "to whom is a field", ...email("?to=me@example.com") },
      { why: "a host in its own letters", ...email("info@müller.de") },
      { why: "in another script", ...email("почта@пример.рф") },
      email("a@example.com,%20b@example.org"),
      { why: "what is left over at the end", ...email("me@example.com,") },
    ],
  },
};
