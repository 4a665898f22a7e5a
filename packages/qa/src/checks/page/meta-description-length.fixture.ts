import type { PageFixture } from "../fixture.ts";

const said = (text: string) => ({ swap: ["What is at /t/", text] as const });

export const cases: PageFixture = {
  "meta.description-length": {
    bad: [
      { ...said("My work."), evidence: { chars: 8 } },
      { ...said("Boats. ".repeat(30)), evidence: { chars: 209 } },
    ],
    good: [
      said("Boats and harbours, drawn from life."),
      said("Boats. ".repeat(22)),
      { why: "there is none", ...said("") },
      { why: "dense signs", ...said("東京で撮影した港と船の写真集です") },
    ],
  },
};
