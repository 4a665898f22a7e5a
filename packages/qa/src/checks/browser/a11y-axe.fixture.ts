import type { A11yIssue, A11yResult } from "../../browser/visit.ts";
import type { BrowserFixture } from "../fixture.ts";

const issue: A11yIssue = {
  rule: "image-alt",
  act: ["23a2a8"],
  engines: ["axe", "accesslint"],
  confidence: "confirmed",
  impact: "critical",
  wcag: ["1.1.1"],
  message: "Images must have alternative text.",
  helpUrl: null,
  selector: "main > img",
  locator: "body main img",
  html: '<img src="/a.jpg">',
  text: "",
};
const found = (...issues: A11yIssue[]): { a11y: A11yResult } => ({
  a11y: { environment: "chromium", engines: [], notChecked: [], issues },
});
const contrast = { front: "#777777", back: "#ffffff", ratio: 4.47, needed: 7 };

export const cases: BrowserFixture = {
  "a11y.axe": {
    bad: [
      {
        why: "alt text can be written unattended",
        visit: found(issue),
        severity: "error",
        safe: true,
        evidence: { rule: "image-alt", act: ["23a2a8"], engines: ["axe", "accesslint"] },
      },
      {
        why: "a best practice is no barrier",
        visit: found({ ...issue, rule: "tabindex", impact: "serious", wcag: [] }),
        severity: "warning",
        safe: false,
      },
      {
        why: "two pictures of one place are two",
        visit: found(issue, { ...issue, html: '<img src="/b.jpg">' }),
        count: 2,
      },
      {
        why: "one pair of colours is told once",
        visit: found(
          { ...issue, rule: "color-contrast-enhanced", impact: "minor", text: "One", contrast },
          { ...issue, rule: "color-contrast-enhanced", impact: "minor", text: "Two", contrast },
        ),
        severity: "notice",
      },
      {
        why: "the content outside of landmarks is one defect",
        visit: found(
          { ...issue, rule: "region", wcag: [], impact: "moderate", text: "One" },
          { ...issue, rule: "region", wcag: [], impact: "moderate", text: "Two" },
        ),
        severity: "warning",
      },
      {
        why: "a link without words but for those that its picture lacks",
        visit: found(issue, {
          ...issue,
          rule: "link-name",
          act: ["c487ae"],
          html: `<a href="/">${issue.html}</a>`,
        }),
        evidence: { rule: "image-alt", act: ["23a2a8", "c487ae"] },
      },
      {
        why: "the words of the whole page are no part of it",
        visit: found({
          ...issue,
          rule: "landmark-one-main",
          html: '<html lang="en">',
          text: "All of it",
        }),
        message: "must have alternative text.",
      },
      {
        why: "without a main part all is outside of it",
        visit: found(
          { ...issue, rule: "landmark-one-main", impact: "moderate", html: "<html>" },
          { ...issue, rule: "region", wcag: [] },
        ),
        evidence: { rule: "landmark-one-main" },
      },
    ],
    good: [
      { why: "nobody is sure", visit: found({ ...issue, confidence: "review" }) },
      { why: "a check of its own", visit: found({ ...issue, rule: "color-contrast", contrast }) },
      {
        why: "the same colours are told as too weak for anybody",
        visit: found(
          { ...issue, rule: "color-contrast", contrast },
          { ...issue, rule: "color-contrast-enhanced", contrast },
        ),
      },
    ],
  },
};
