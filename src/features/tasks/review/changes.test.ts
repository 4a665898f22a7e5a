import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTemplate, sampleSnapshot } from "../../../../test/e2e/template-site.ts";
import { type Change, hostile, innocent } from "../../../../test/support/review-cases.ts";
import {
  changedSite,
  type FileEdits,
  type ReviewedSite,
  siteIn,
} from "../../../../test/support/reviewed-site.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { type Addition, compareSites } from "./compare.ts";

let folder: TempFolder;
let live: ReviewedSite;
let count = 0;

beforeAll(async () => {
  folder = await tempFolder();
  const { site } = await buildTemplate(join(folder.path, "site"), await sampleSnapshot());
  live = await siteIn(site);
}, 180_000);
afterAll(() => folder?.remove());

function editsOf(change: Change): FileEdits {
  const into = (mark: string, snippet: string): FileEdits => ({
    "about/index.html": (text) => text.replace(mark, () => `${snippet}${mark}`),
  });
  if (typeof change === "string") return into("</main>", change);
  return typeof change["head"] === "string"
    ? into("</head>", change["head"])
    : (change as FileEdits);
}

async function additionsOf(change: Change): Promise<Addition[]> {
  const next = await changedSite(live, join(folder.path, String((count += 1))), editsOf(change));
  return compareSites({ next, live, host: "example.com" }).added;
}

test.each(hostile)("a person looks at: %s", async (_, kind, change) => {
  const added = await additionsOf(change);
  expect(added.map((one) => one.kind)).toContain(kind);
});

test.each(innocent)("nobody need look at: %s", async (_, change) => {
  expect(await additionsOf(change)).toEqual([]);
});
