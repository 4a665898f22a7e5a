import { describe, expect, test } from "vitest";
import { middleOf } from "./lighthouse.ts";
import { missingPath, pathOf, pathsInPage } from "./pages.ts";
import { markdownReport, missLines, plainTable } from "./report.ts";
import { median, missesOf, type PageFigures } from "./targets.ts";

const good: PageFigures = {
  path: "/",
  status: 200,
  isNoindex: false,
  scores: [100, 100, 100, 100],
  lcp: 1500,
  cls: 0.01,
  tbt: 40,
  bytes: 120_000,
  requests: 10,
  htmlBytes: 8000,
  wideBytes: 119_000,
  wideRequests: 9,
  axe: [],
  overflow: [],
  foreign: [],
  inlineScripts: [{ bytes: 500, isHashed: true }],
  failed: [[], [], [], []],
};

const missed = (page: Partial<PageFigures>) =>
  missesOf([{ ...good, ...page }]).map(({ target, found }) => `${target}: ${found}`);

describe("targets", () => {
  test("are met up to their bounds", () => {
    expect(missesOf([good])).toEqual([]);
  });

  test.each<[Partial<PageFigures>, string]>([
    [
      { scores: [100, 99, 100, 100], failed: [[], ["color-contrast"], [], []] },
      "Lighthouse accessibility: 99 (color-contrast)",
    ],
    [{ lcp: 1511 }, "LCP: 1.51 s"],
    [{ cls: 0.02 }, "CLS: 0.020"],
    [{ wideBytes: 120_100 }, "home, bytes: 120.1 kB"],
    [{ requests: 11 }, "home, requests: 11"],
    [{ path: "/projects/one/", bytes: 150_200 }, "case study, bytes: 150.2 kB"],
    [{ htmlBytes: 8100 }, "HTML, gzip: 8.1 kB"],
    [{ axe: ["a", "b"] }, "axe violations, 390 and 1440 px, both themes: a; b"],
    [{ overflow: ["h1 is cut"] }, "overflow at 320 px: h1 is cut"],
    [{ foreign: ["https://x.example/"] }, "requests to other origins: https://x.example/"],
    [{ inlineScripts: [{ bytes: 90, isHashed: false }] }, "inline scripts: 90 B without a hash"],
    [{ inlineScripts: [{ bytes: 501, isHashed: true }] }, "inline scripts: 501 B"],
  ])("are missed by %j", (page, found) => {
    expect(missed(page)).toEqual([found]);
  });

  test("say nothing of Lighthouse where it was left out", () => {
    expect(missed({ ...middleOf([]) })).toEqual([]);
  });

  test("are each only for the pages that they name", () => {
    expect(missed({ path: "/projects/", bytes: 900_000, requests: 40 })).toEqual([]);
    expect(missed({ path: "/projects/category/web/", bytes: 900_000 })).toEqual([]);
  });
});

test("the middle of several runs is taken figure by figure", () => {
  const run = (score: number, lcp: number, failed: string[]) => ({
    scores: [score, 100, 100, 100],
    lcp,
    cls: 0,
    tbt: 0,
    bytes: 1,
    requests: 1,
    failed: [failed, [], [], []],
    benchmark: 1,
  });
  const middle = middleOf([run(98, 900, ["a", "b"]), run(100, 1900, ["a"]), run(99, 1000, [])]);
  expect(middle).toMatchObject({ scores: [99, 100, 100, 100], lcp: 1000 });
  expect(middle.failed[0]).toEqual(["a"]);
  expect([median([]), median([4]), median([1, 4])]).toEqual([0, 4, 2.5]);
});

test("the document names targets, pages and misses", () => {
  const missing = { ...good, path: missingPath, status: 404, isNoindex: true, lcp: 1700 };
  const pages = [good, missing];
  const how = {
    what: "The default site",
    date: "2026-01-02",
    runs: 5,
    machine: "2 processors",
    browser: "headless Chromium 1",
    lighthouse: "13",
    benchmark: 900,
  };
  const document = markdownReport(pages, how);
  expect(document).toContain("| LCP | ≤ 1.50 s | missed by 1 of 2 pages |");
  expect(document).toContain("- 404 page: LCP should be ≤ 1.50 s, found 1.70 s");
  expect(document).toMatch(/^\| 404 page \| 100 \| 100 \| 100 \| 100 ¹ \| 1\.70 s \|/m);
  expect(markdownReport([good], how)).not.toContain("Missed:");
  expect(missLines(missesOf([good]))).toEqual([]);
  const widths = plainTable(pages)
    .split("\n")
    .map((line) => line.length);
  expect(new Set(widths).size).toBe(1);
});

test("pages are found by files and by links", () => {
  expect(["index.html", "a/index.html", "b.html", "404.html"].map(pathOf)).toEqual([
    "/",
    "/a/",
    "/b",
    missingPath,
  ]);
  const html = `<a href="/x/">1</a> <a class=c href='b.html?q#f'>2</a> <a href="/f.pdf">3</a>
    <a href="https://other.example/">4</a> <a href="mailto:a@b.example">5</a> <a href="#x">6</a>`;
  expect(pathsInPage(html, "https://site.example/a/")).toEqual(["/x/", "/a/b.html", "/a/"]);
});
