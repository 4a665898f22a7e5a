import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "form.insecure-action": {
    bad: [{ main: `<form action="http://other.example/"></form>` }],
    good: [{ main: `<form action="/api/contact"></form>` }],
  },
};
