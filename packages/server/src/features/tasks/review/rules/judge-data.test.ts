import { expect, test } from "vitest";
import { judgeData } from "./judge-data.ts";
import { makeAccepted, type PageReviewContext } from "./review-context.ts";

const data = (fields: object) =>
  JSON.stringify({ "@type": "CreativeWork", name: "Quay", ...fields });

/** What is wrong with this change of a case study's structured data, where nothing else changed. */
function problemsOf(before: object, after: object): string[] {
  const context = {
    accepted: makeAccepted(),
    problems: [],
    path: "/projects/quay/",
  } as unknown as PageReviewContext;
  judgeData(context, data(before), data(after));
  return context.problems.map(({ what }) => what);
}

const old = "2026-01-15T12:00:00.000Z";
const later = "2026-01-15T12:00:01Z";

test("a changed record may say that it was changed later than before", () => {
  expect(problemsOf({ dateModified: old }, { dateModified: later })).toEqual([]);
});

test.each([
  ["earlier", { dateModified: later }, { dateModified: old }],
  ["the first date of its kind", {}, { dateModified: later }],
  ["no date", { dateModified: old }, { dateModified: "Cheap loans" }],
  ["a date with words", { dateModified: old }, { dateModified: `${later} Cheap loans` }],
  ["a date of a day alone", { dateModified: old }, { dateModified: "2026-01-16" }],
  ["in the place of no date", { dateModified: "soon" }, { dateModified: later }],
  ["of another kind", { datePublished: old }, { datePublished: later }],
  ["two dates for one", { dateModified: [old] }, { dateModified: [later, later] }],
])("another date is looked at by a person: %s", (_, before, after) => {
  expect(problemsOf(before, after)).not.toEqual([]);
});
