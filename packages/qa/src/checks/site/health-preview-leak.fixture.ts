import type { SiteFixture } from "../fixture.ts";
import { gate } from "../probe-sketch.ts";

const answers = {};

export const cases: SiteFixture = {
  "health.preview-leak": {
    bad: [
      {
        answers,
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
      { why: "shut", answers, probes: { previews: [gate("/_preview/a/", 401)] } },
      { why: "gone", answers, probes: { previews: [gate("/_preview/a/", 404)] } },
      {
        why: "a page for everything",
        answers,
        probes: { previews: [gate("/_preview/a/", 200, true)] },
      },
      { why: "none", answers, probes: { previews: [] } },
    ],
  },
};
