import type { SiteFixture } from "../fixture.ts";
import { responseFor, robots } from "../probe-fixture.ts";

const responses = {};
const of = (status: number | null) => ({
  robots: robots({ response: responseFor("/robots.txt", status), text: null }),
});

export const cases: SiteFixture = {
  "robots.missing-or-5xx": {
    bad: [
      { why: "404", responses, probes: of(404), evidence: { status: 404 }, target: "/robots.txt" },
      { why: "500", responses, probes: of(500), message: "search engines away" },
      { why: "a page for everything", responses, probes: of(200), message: "web page" },
    ],
    good: [
      { why: "there", responses, probes: { robots: robots() } },
      { why: "no answer says nothing", responses, probes: of(null) },
      { why: "too many questions", responses, probes: of(429) },
      { why: "a pause for mending", responses, probes: of(503) },
      { why: "a wall", responses, probes: of(403) },
    ],
  },
};
