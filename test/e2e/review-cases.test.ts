import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReviewCase } from "../../bench/review/case.ts";
import { hostile, benign } from "../../bench/review/cases/index.ts";
import { judge } from "../../bench/review/judge.ts";
import { openReviewSite, type ReviewSite } from "../../bench/review/site.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";

// A spread of the lists of bench/review, which has all of them.

let folder: TempFolder;
let site: ReviewSite;

beforeAll(async () => {
  folder = await tempFolder();
  site = await openReviewSite(folder.path);
}, 900_000);
afterAll(async () => {
  await site?.close();
  await folder?.remove();
});

/** The first case of every third category: a build for each category takes minutes. */
function spread(cases: readonly ReviewCase[]): ReviewCase[] {
  return [...Map.groupBy(cases, ({ category }) => category).values()].flatMap(([first], at) =>
    first && at % 3 === 0 ? [first] : [],
  );
}

/** What the review says of each, by id. */
async function reviewed(cases: readonly ReviewCase[]) {
  const kinds: [id: string, kinds: string[]][] = [];
  for (const one of cases) {
    const reasons = await judge(site.db, one, await site.prepare(one));
    kinds.push([one.id, reasons.map(({ kind }) => kind)]);
  }
  return kinds;
}

test("abuse 173: usual changes go live unattended", async () => {
  const waiting = (await reviewed(spread(benign))).filter(([, kinds]) => kinds.length > 0);
  expect(waiting).toEqual([]);
}, 900_000);

test("abuse 174: hostile changes wait for a person, whatever their kind", async () => {
  const live = (await reviewed(spread(hostile))).filter(([, kinds]) => kinds.length === 0);
  expect(live).toEqual([]);
}, 900_000);
