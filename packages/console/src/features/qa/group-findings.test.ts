import { describe, expect, it } from "vitest";

import { makeFinding as finding } from "./test-finding.ts";
import { groupFindings, partitionByPage, occurrenceOn } from "./group-findings.ts";

const at = (page: string, selector = "main a") => ({ page, selector, line: null, text: "" });

describe("groupFindings", () => {
  it("begins with critical findings, then errors, then the check with the most", () => {
    const groups = groupFindings([
      finding({ check: "seo.thin", severity: "notice" }),
      finding({ check: "link.one" }),
      finding({ check: "link.two", target: "/a" }),
      finding({ check: "link.two", target: "/b" }),
      finding({ check: "sec.exposed-file", critical: true }),
      finding({ check: "meta.og", severity: "warning" }),
    ]);
    expect(groups.map(({ check }) => check)).toEqual([
      "sec.exposed-file",
      "link.two",
      "link.one",
      "meta.og",
      "seo.thin",
    ]);
  });

  it("sorts a check's rows by severity, then by page", () => {
    const [group] = groupFindings([
      finding({ pageUrl: "/b/", severity: "warning", target: "1" }),
      finding({ pageUrl: "/c/", target: "2" }),
      finding({ pageUrl: "/a/", severity: "warning", target: "3" }),
    ]);
    expect(group?.severity).toBe("error");
    expect(group?.rows.map(({ findings }) => findings[0]?.pageUrl)).toEqual(["/c/", "/a/", "/b/"]);
  });

  it("shows the same finding on several pages once, with the number of pages", () => {
    const alike = ["/a/", "/b/", "/c/"].map((pageUrl) => finding({ pageUrl }));
    const other = finding({ pageUrl: "/d/", target: "/elsewhere/" });
    const [group] = groupFindings([...alike, other]);
    expect(group?.rows.map(({ pages, pageCount }) => [pages, pageCount])).toEqual([
      [["/a/", "/b/", "/c/"], 3],
      [["/d/"], 1],
    ]);
    expect(group).toMatchObject({ total: 4, pageCount: 4 });
  });

  it("separates findings by state, confidence, and task", () => {
    const [group] = groupFindings([
      finding({ pageUrl: "/a/" }),
      finding({ pageUrl: "/b/", confidence: "likely" }),
      finding({
        pageUrl: "/c/",
        status: "queued",
        task: { id: 41, status: "queued", error: null },
      }),
      finding({
        pageUrl: "/d/",
        status: "queued",
        task: { id: 42, status: "queued", error: null },
      }),
    ]);
    expect(group?.rows).toHaveLength(4);
  });

  it("trusts the server about pages that aren't listed", () => {
    const [group] = groupFindings([finding({ occurrences: [at("/"), at("/a/")], pageCount: 80 })]);
    expect(group).toMatchObject({ pageCount: 80, rows: [{ pageCount: 80, pages: ["/", "/a/"] }] });
  });
});

describe("partByPage", () => {
  it("assigns a finding to a page that is one of its places, however that is written", () => {
    const shared = finding({ pageUrl: "/", occurrences: [at("/"), at("/about/index.html")] });
    const whole = finding({ pageUrl: "https://site.example/about/#top" });
    const elsewhere = finding({ pageUrl: "/contact/" });
    const { here, others } = partitionByPage([shared, whole, elsewhere], "/about");
    expect(here).toEqual([shared, whole]);
    expect(others).toEqual([elsewhere]);
  });

  it("finds the place on this page", () => {
    const shared = finding({ occurrences: [at("/", "header a"), at("/about/", "footer a")] });
    expect(occurrenceOn(shared, "/about/")).toMatchObject({ selector: "footer a" });
    expect(occurrenceOn(shared, "/contact/")).toBeNull();
  });
});
