import type { SiteFixture } from "../fixture.ts";
import { gate } from "../probe-fixture.ts";

const responses = {};

export const cases: SiteFixture = {
  "health.admin-gate": {
    bad: [
      {
        responses,
        probes: { gates: [gate("/devconsole/ping", 401), gate("/devconsole/runs", 200)] },
        target: "/devconsole/runs",
        evidence: { path: "/devconsole/runs", expected: 401, got: 200 },
      },
      {
        why: "a preview’s name is no part of what it is",
        responses,
        probes: { gates: [gate("/_preview/01KAJ3Z5T0ABCDEFGHJKMNPQRS/", 204)] },
        target: "/_preview/…/",
      },
    ],
    good: [
      { why: "shut", responses, probes: { gates: [gate("/devconsole/ping", 401)] } },
      { why: "nothing there", responses, probes: { gates: [gate("/devconsole/ping", 404)] } },
      { why: "to the sign-in", responses, probes: { gates: [gate("/devconsole/ping", 302)] } },
      { why: "failing", responses, probes: { gates: [gate("/devconsole/ping", 503)] } },
      { why: "no answer", responses, probes: { gates: [gate("/devconsole/ping", null)] } },
      {
        why: "a page for everything",
        responses,
        probes: { gates: [gate("/devconsole", 200, true)] },
      },
    ],
  },
};
