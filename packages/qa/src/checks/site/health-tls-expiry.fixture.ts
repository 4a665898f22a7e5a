import type { SiteFixture } from "../fixture.ts";

const responses = {};
const of = (daysLeft: number) => {
  const notAfter = "2026-12-01T00:00:00.000Z";
  return { tls: { host: "example.com", notAfter, issuer: "A Certifier", daysLeft } };
};

export const cases: SiteFixture = {
  "health.tls-expiry": {
    bad: [
      {
        why: "three weeks",
        responses,
        probes: of(21),
        severity: "warning",
        target: "example.com",
        evidence: { notAfter: "2026-12-01T00:00:00.000Z", issuer: "A Certifier" },
      },
      { why: "more than a week", responses, probes: of(8), severity: "warning" },
      { why: "a week", responses, probes: of(7), severity: "error", message: "7 days" },
      { why: "one day", responses, probes: of(1), message: "in 1 day." },
      { why: "today", responses, probes: of(0), message: "today" },
      { why: "over", responses, probes: of(-3), severity: "error", message: "has expired" },
    ],
    good: [
      { why: "more than three weeks", responses, probes: of(22) },
      { why: "without encryption, or not told", responses, probes: { tls: null } },
    ],
  },
};
