import type { SiteFixture } from "../fixture.ts";
import { answered, health } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof health>[0]) => ({ health: health(more) });
const none = { status: null, migrations: null } as const;

export const cases: SiteFixture = {
  "health.api": {
    bad: [
      {
        why: "no answer",
        answers,
        probes: of({ ...none, answer: answered("/api/health", null) }),
        evidence: { status: null, ms: 12, envelope: null },
      },
      {
        why: "no envelope",
        answers,
        probes: of({
          ...none,
          answer: answered("/api/health", 502),
          invalid: { path: "$", got: "no JSON" },
        }),
        evidence: { status: 502, envelope: { path: "$", got: "no JSON" } },
      },
      {
        why: "down",
        answers,
        probes: of({
          answer: answered("/api/health", 503),
          status: "down",
          down: [{ name: "database", note: "fails" }],
        }),
        severity: "error",
        says: "database",
      },
      {
        why: "a part of it is down",
        answers,
        probes: of({ status: "degraded", down: [{ name: "disk", note: "the disk is full" }] }),
        severity: "warning",
        says: "the disk is full",
      },
    ],
    good: [
      { why: "well", answers, probes: of({}) },
      { why: "a lesser way of working is no fault", answers, probes: of({ status: "degraded" }) },
      {
        why: "asked too often",
        answers,
        probes: of({ ...none, answer: answered("/api/health", 429), invalid: null }),
      },
      { why: "another’s site", answers, probes: { health: null } },
    ],
  },
};
