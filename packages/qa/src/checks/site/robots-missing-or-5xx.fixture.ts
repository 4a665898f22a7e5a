import type { SiteFixture } from "../fixture.ts";
import { answered, robots } from "../probe-sketch.ts";

const answers = {};
const of = (status: number | null) => ({
  robots: robots({ answer: answered("/robots.txt", status), text: null }),
});

export const cases: SiteFixture = {
  "robots.missing-or-5xx": {
    bad: [
      { why: "404", answers, probes: of(404), evidence: { status: 404 }, target: "/robots.txt" },
      { why: "500", answers, probes: of(500), says: "stay away" },
      { why: "a page for everything", answers, probes: of(200), says: "web page" },
    ],
    good: [
      { why: "there", answers, probes: { robots: robots() } },
      { why: "no answer says nothing", answers, probes: of(null) },
      { why: "too many questions", answers, probes: of(429) },
      { why: "a pause for mending", answers, probes: of(503) },
      { why: "a wall", answers, probes: of(403) },
    ],
  },
};
