import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-fixture.ts";

const responses = {};
const now = "2026-11-21T12:00:00.000Z";
const of = (...dates: (string | null)[]) => ({
  now,
  entries: dates.map((date) => listed("/a/", date)),
});

export const cases: SiteFixture = {
  "sitemap.lastmod-implausible": {
    bad: [
      {
        why: "the future",
        responses,
        probes: of("2027-01-01"),
        evidence: { loc: "https://example.com/a/", lastmod: "2027-01-01", count: 1 },
      },
      { why: "no date", responses, probes: of("yesterday"), message: "isn’t a date" },
      { why: "a form of other places", responses, probes: of("21.11.2026") },
      { why: "the beginning of Unix time", responses, probes: of("1970-01-01T00:00:00Z") },
      {
        why: "many are one",
        responses,
        probes: of("soon", "later", "2026-01-01"),
        evidence: { count: 2 },
      },
    ],
    good: [
      {
        why: "all the forms there are",
        responses,
        probes: of(
          "2026",
          "2026-11",
          "2026-11-20",
          "2026-11-20T08:00Z",
          "2026-11-20T08:00:00+01:00",
          "2026-11-20T08:00:00.123Z",
          null,
        ),
      },
      { why: "tomorrow in another time zone", responses, probes: of("2026-11-22T02:00:00+14:00") },
    ],
  },
};
