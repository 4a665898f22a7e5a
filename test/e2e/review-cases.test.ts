import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReviewCase } from "../../bench/review/case.ts";
import { hostile, usual } from "../../bench/review/cases/index.ts";
import { judge } from "../../bench/review/judge.ts";
import { openReviewSite, type ReviewSite } from "../../bench/review/site.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";

// A spread of the lists of bench/review, which has all of them: one case of each category.

let folder: TempFolder;
let site: ReviewSite;

beforeAll(async () => {
  folder = await tempFolder();
  site = await openReviewSite(folder.path);
}, 480_000);
afterAll(async () => {
  await site?.close();
  await folder?.remove();
});

function oneOfEach(cases: readonly ReviewCase[]): ReviewCase[] {
  return [...Map.groupBy(cases, ({ category }) => category).values()].flatMap(([first]) =>
    first ? [first] : [],
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

test("abuse 138: usual changes go live unattended", async () => {
  const waiting = (await reviewed(oneOfEach(usual))).filter(([, kinds]) => kinds.length > 0);
  expect(waiting).toEqual([]);
}, 480_000);

test("abuse 139: of each kind of hostile change a person sees the first", async () => {
  const live = (await reviewed(oneOfEach(hostile))).filter(([, kinds]) => kinds.length === 0);
  expect(live).toEqual([]);
}, 480_000);
