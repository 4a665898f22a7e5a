import type { SiteFixture } from "../fixture.ts";
import { gate } from "../probe-fixture.ts";

const responses = {};

export const cases: SiteFixture = {
  "health.preview-leak": {
    bad: [
      {
        responses,
        probes: {
          previews: [
            gate("/_preview/a/", 401),
            gate("/_preview/b/", 200),
            gate("/_preview/c/", 200),
          ],
        },
        evidence: { url: "https://example.com/_preview/b/", status: 200, previews: 2 },
      },
    ],
    good: [
      { why: "shut", responses, probes: { previews: [gate("/_preview/a/", 401)] } },
      { why: "gone", responses, probes: { previews: [gate("/_preview/a/", 404)] } },
      {
        why: "a page for everything",
        responses,
        probes: { previews: [gate("/_preview/a/", 200, true)] },
      },
      { why: "none", responses, probes: { previews: [] } },
    ],
  },
};
