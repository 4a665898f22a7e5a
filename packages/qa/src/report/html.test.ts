import { parse, type DefaultTreeAdapterTypes } from "parse5";
import { afterEach, expect, test } from "vitest";
import { startSmallSite, type SmallSite } from "../../../../test/support/small-site.ts";
import { runQa } from "../run-qa.ts";
import { toHtml } from "./html.ts";
import type { QaReport, ReportFinding } from "./report.ts";

const cleanups: SmallSite[] = [];
afterEach(async () => {
  for (const site of cleanups.splice(0)) await site[Symbol.asyncDispose]();
});

const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)></style></title><!--`;

const finding = (more: Partial<ReportFinding> = {}): ReportFinding => ({
  fingerprint: "a",
  check: "link.internal-broken",
  title: "Broken internal link",
  category: "links",
  scope: "page",
  severity: "error",
  critical: false,
  confidence: "confirmed",
  engine: "test",
  pageUrl: "/",
  target: null,
  message: "The link leads nowhere.",
  evidence: {},
  occurrences: [{ page: "/", selector: "body a", line: 3, text: "Old" }],
  occurrenceCount: 1,
  pageCount: 1,
  isSafe: false,
  ...more,
});

const report = (findings: readonly ReportFinding[], more: Partial<QaReport> = {}): QaReport => ({
  site: "https://example.com/",
  at: "2026-11-29T01:00:00.000Z",
  tool: { name: "vitrine-qa", version: "1" },
  stats: { pages: 2, links: 9, browserPages: 0, ms: 1200 },
  isComplete: true,
  skippedChecks: [],
  baselineCount: 0,
  findings,
  ...more,
});

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

/** All elements of a document. */
function elementsOf(node: Node): DefaultTreeAdapterTypes.Element[] {
  const children = "childNodes" in node ? node.childNodes.flatMap(elementsOf) : [];
  return "tagName" in node ? [node, ...children] : children;
}

const namesOf = (html: string) =>
  elementsOf(parse(html))
    .map(({ tagName, attrs }) => [tagName, ...attrs.map(({ name }) => name)].join(" "))
    .toSorted();

test("a finding says where it is edited, if that is known", () => {
  const source = "app/src/components/Card.astro:12";
  const html = toHtml(report([finding({ source }), finding()]));
  expect(html.split(`Source: <code>${source}</code>`)).toHaveLength(2);
  expect(html.split("Source:")).toHaveLength(2);
});

test("nothing that a site says becomes markup", () => {
  const plain = "plain";
  const both = [attack, plain].map((text) =>
    toHtml(
      report(
        [
          finding({
            check: text,
            category: text,
            message: text,
            target: text,
            source: text,
            pageUrl: `/${text}`,
            evidence: { helpUrl: `https://example.com/${text}` },
            occurrences: [{ page: `/${text}`, selector: text, line: 1, text }],
          }),
        ],
        { skippedChecks: [{ what: text, why: text }], tool: { name: text, version: text } },
      ),
    ),
  );
  expect(namesOf(both[0] ?? "")).toEqual(namesOf(both[1] ?? ""));
  expect(both[0]).not.toMatch(/<script|<img/);
});

test("links lead to the web only, and a screenshot is an image in the file", () => {
  const crop = {
    selector: "a",
    width: 9,
    height: 9,
    mark: { left: 1, top: 1, width: 9, height: 9 },
  };
  const html = toHtml(
    report([
      finding({
        pageUrl: "javascript:alert(1)",
        occurrences: [{ page: "javascript:alert(1)", selector: "", line: null, text: "" }],
        evidence: { helpUrl: "javascript:alert(1)" },
        screenshot: { ...crop, image: "https://elsewhere.example/x.png" },
      }),
      finding({
        fingerprint: "b",
        screenshot: { ...crop, image: 'data:image/webp;base64,AA" onload="x' },
      }),
    ]),
  );
  expect(html).not.toMatch(/href="javascript|elsewhere|onload/);
});

test("images are bounded in number and length", () => {
  const image = `data:image/webp;base64,${"A".repeat(40_000)}`;
  const many = Array.from({ length: 120 }, (_, n) =>
    finding({
      fingerprint: String(n),
      evidence: { screenshot: n < 40 ? `${image}${"A".repeat(40_000)}` : image },
    }),
  );
  const html = toHtml(report(many));
  expect(html.match(/<img /g)?.length).toBeLessThanOrEqual(60);
  expect(html.length).toBeLessThan(4_300_000);
});

test("lists the places of a finding, up to a limit", () => {
  const occurrences = Array.from({ length: 50 }, (_, n) => {
    return { page: `/p${n}/`, selector: "header img", line: null, text: "" };
  });
  const html = toHtml(report([finding({ occurrences, occurrenceCount: 72, pageCount: 72 })]));
  expect(html).toContain("<summary>72 places on 72 pages</summary>");
  expect(html).toContain("<li>and 52 more places</li>");
});

test("a run with a browser shows what it found, once for each cause, in one file without requests", async () => {
  const page = (title: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>
<p id="a&quot;&gt;&lt;b" style="color:#999;background:#fff">A text that is hard to read on a white ground</p>
<form><input name="q"></form><iframe title="In" srcdoc="<input name=inner>"></iframe></main></body></html>`;
  const content = { "/": page('One <a href="/two">two</a>'), "/two": page("Two &lt;script&gt;") };
  const site = await startSmallSite(content);
  cleanups.push(site);
  const found = await runQa(`${site.origin}/`, { screenshots: true, external: "none" });
  const withImage = found.findings.filter(({ screenshot }) => screenshot);
  expect(withImage.map(({ check }) => check).toSorted()).toEqual([
    "a11y.axe.label",
    "a11y.contrast",
  ]);
  for (const { screenshot } of withImage) {
    expect(screenshot?.image).toMatch(/^data:image\/webp;base64,UklGR/);
    expect(screenshot?.mark.width).toBeGreaterThan(5);
  }
  const html = toHtml(found);
  expect(html.match(/<img /g)).toHaveLength(2);
  expect(html).not.toMatch(/<script/i);
  expect(html).not.toMatch(/(?:src|href)="(?!data:image\/webp|https?:)/);
  const without = await runQa(`${site.origin}/`, { external: "none" });
  expect(without.findings.some(({ screenshot }) => screenshot)).toBe(false);
});
