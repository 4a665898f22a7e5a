import type { SiteFixture } from "../fixture.ts";

const answers = {};
const of = (daysLeft: number) => {
  const notAfter = "2026-12-01T00:00:00.000Z";
  return { tls: { host: "example.com", notAfter, issuer: "A Certifier", daysLeft } };
};

export const cases: SiteFixture = {
  "health.tls-expiry": {
    bad: [
      {
        why: "three weeks",
        answers,
        probes: of(21),
        severity: "warning",
        target: "example.com",
        evidence: { notAfter: "2026-12-01T00:00:00.000Z", issuer: "A Certifier" },
      },
      { why: "more than a week", answers, probes: of(8), severity: "warning" },
      { why: "a week", answers, probes: of(7), severity: "error", says: "7 days" },
      { why: "one day", answers, probes: of(1), says: "in 1 day." },
      { why: "today", answers, probes: of(0), says: "today" },
      { why: "over", answers, probes: of(-3), severity: "error", says: "has run out" },
    ],
    good: [
      { why: "more than three weeks", answers, probes: of(22) },
      { why: "without encryption, or not told", answers, probes: { tls: null } },
    ],
  },
};
