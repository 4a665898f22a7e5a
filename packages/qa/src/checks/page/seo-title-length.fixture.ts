import type { PageFixture } from "../fixture.ts";

const title = (text: string) => ({
  swap: [/<title>.*<\/title>/, `<title>${text}</title>`] as const,
});

export const cases: PageFixture = {
  "seo.title-length": {
    bad: [
      {
        ...title("Pictures and drawings of harbours, boats and weather from thirty years at sea"),
        evidence: { chars: 77 },
      },
    ],
    good: [
      title("Pictures and drawings of harbours and boats"),
      { why: "narrow letters", ...title("illicit ".repeat(9)) },
      {
        why: "is not listed",
        html: `<!doctype html><title>${"Wide words ".repeat(10)}</title><meta name="robots" content="noindex">`,
      },
      { why: "of a drawing", main: `<svg><title>${"Wide words ".repeat(10)}</title></svg>` },
    ],
  },
};
