import type { SiteFixture } from "../fixture.ts";

const responses = {};
const env = {
  path: "/.env",
  what: "a file with settings and keys",
  status: 200,
  magic: "It has lines like NAME=value.",
  maybe: false,
};

export const cases: SiteFixture = {
  "sec.exposed-file": {
    bad: [
      {
        responses,
        probes: { exposed: [env] },
        target: "/.env",
        severity: "error",
        evidence: { path: "/.env", status: 200, magic: "It has lines like NAME=value." },
      },
      {
        why: "a source map may be meant to be read",
        responses,
        probes: { exposed: [{ ...env, path: "/app.js.map", maybe: true }] },
        severity: "notice",
      },
    ],
    good: [{ why: "nothing proved itself", responses, probes: { exposed: [] } }],
  },
};
