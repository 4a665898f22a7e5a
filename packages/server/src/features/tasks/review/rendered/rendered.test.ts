import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goodPage, writeSite } from "../../../../../../../test/support/built-site.ts";
import { tempFolder, type TempFolder } from "../../../../../../../test/support/temp.ts";
import { reviewBrowser } from "../../../../processes/review-browser.ts";
import { renderedReasons } from "./rendered.ts";
import type { ReviewBrowser } from "./review-browser.ts";

const style =
  "html{color:#222;background:#fff}body{margin:1rem;font:16px/1.5 sans-serif}main{max-width:40em}";
const page = (main: string) => goodPage("/", `<h1>Work</h1><p>What was there.</p>${main}`);

let folder: TempFolder;
let count = 0;
beforeAll(async () => {
  folder = await tempFolder();
  await writeSite(join(folder.path, "live"), { "index.html": page(""), "site.css": style });
});
afterAll(() => folder.remove());

/** What is seen of a change whose files say nothing against it. */
async function seen(
  { main = "", css = "", removed = [] as string[] },
  browser: ReviewBrowser | null = reviewBrowser,
) {
  const artifactDir = join(folder.path, String((count += 1)));
  await writeSite(artifactDir, { "index.html": page(main), "site.css": style + css });
  return renderedReasons({
    artifactDir,
    liveDir: join(folder.path, "live"),
    browser,
    verdict: {
      problems: [],
      pages: { changed: ["/"], styled: [] },
      texts: { removed, added: [] },
    },
    signal: undefined,
  });
}

test("a new text that can be read gives no reason", async () => {
  expect(await seen({ main: "<p>What is new.</p>" })).toEqual([]);
}, 60_000);

test("abuse 137: what visitors can’t see, read or press any more is seen in a browser", async () => {
  const changes = [
    "p{opacity:0}",
    "p{color:#ddd}",
    "p{font-size:4px}",
    "p{position:absolute;left:-999px}",
    "main::after{content:'';position:fixed;inset:0}",
    "a{pointer-events:none}",
    "@media (width<400px){p{display:none}}",
    "@media (prefers-color-scheme:dark){p{visibility:hidden}}",
  ];
  for (const css of changes) {
    const kinds = (await seen({ css })).map(({ kind }) => kind);
    expect({ css, kinds }).toEqual({ css, kinds: ["appearance"] });
  }
}, 120_000);

test("abuse 137: a new text that nobody sees, and one that is gone", async () => {
  const spam = await seen({ main: '<p style="font-size:1px">Cheap pills</p>' });
  expect(spam).toMatchObject([
    { kind: "appearance", items: [expect.stringContaining("is too small")] },
  ]);
  const css = "h1{display:none}";
  expect(await seen({ css })).toMatchObject([{ kind: "appearance" }]);
}, 60_000);

test("abuse 138: without a browser, or with one that fails, a person looks", async () => {
  const failing: ReviewBrowser = async () => {
    throw new Error("it ended at once");
  };
  const dying: ReviewBrowser = async () => {
    const browser = await reviewBrowser();
    await browser?.close();
    return browser;
  };
  for (const browser of [null, async () => null, failing, dying]) {
    expect(await seen({ main: "<p>New.</p>" }, browser)).toMatchObject([{ kind: "unchecked" }]);
  }
}, 60_000);
