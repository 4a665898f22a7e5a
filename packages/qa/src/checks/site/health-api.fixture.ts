import type { SiteFixture } from "../fixture.ts";
import { responseFor, health } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof health>[0]) => ({ health: health(more) });
const none = { status: null, migrations: null } as const;

export const cases: SiteFixture = {
  "health.api": {
    bad: [
      {
        why: "no answer",
        responses,
        probes: of({ ...none, response: responseFor("/api/health", null) }),
        evidence: { status: null, ms: 12, envelope: null },
      },
      {
        why: "no envelope",
        responses,
        probes: of({
          ...none,
          response: responseFor("/api/health", 502),
          invalid: { path: "$", got: "no JSON" },
        }),
        evidence: { status: 502, envelope: { path: "$", got: "no JSON" } },
      },
      {
        why: "down",
        responses,
        probes: of({
          response: responseFor("/api/health", 503),
          status: "down",
          down: [{ name: "database", note: "fails" }],
        }),
        severity: "error",
        message: "database",
      },
      {
        why: "a part of it is down",
        responses,
        probes: of({ status: "degraded", down: [{ name: "disk", note: "the disk is full" }] }),
        severity: "warning",
        message: "the disk is full",
      },
    ],
    good: [
      { why: "well", responses, probes: of({}) },
      { why: "a lesser way of working is no fault", responses, probes: of({ status: "degraded" }) },
      {
        why: "asked too often",
        responses,
        probes: of({ ...none, response: responseFor("/api/health", 429), invalid: null }),
      },
      { why: "another’s site", responses, probes: { health: null } },
    ],
  },
};
