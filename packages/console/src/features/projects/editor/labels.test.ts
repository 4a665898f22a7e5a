import { describe, expect, it } from "vitest";

import { ApiError } from "../../../api/client.ts";
import { idIn } from "../../../ui/search-params.ts";
import { addLabels, isList } from "./chip-input.ts";
import { diffExcerpts } from "../../forms/diff-excerpts.ts";
import { fieldText, fileName } from "./field-labels.ts";
import { toForm, toValues } from "./form.ts";
import { checkNew, emptyProject, newProject } from "./new-project.ts";
import { saveLabels, shortTime } from "./rail/save-labels.ts";

describe("chips", () => {
  it("are split at commas, semicolons, tabs, and line breaks, cleaned, and unique", () => {
    expect(addLabels(["Astro"], " astro, Go;\tRust\r\n\n C  sharp ,go")).toEqual([
      "Astro",
      "Go",
      "Rust",
      "C sharp",
    ]);
    expect(isList("one word")).toBe(false);
    expect(isList("two,")).toBe(true);
  });
});

describe("where two texts differ", () => {
  it("is shown with some context", () => {
    const long = "x".repeat(200);
    const [mine, theirs] = diffExcerpts(`${long}mine${long}`, `${long}theirs${long}`);
    expect(mine).toEqual({
      before: `…${"x".repeat(60)}`,
      differs: "mine",
      after: `${"x".repeat(60)}…`,
    });
    expect(theirs.differs).toBe("theirs");
  });

  it.each([
    ["", "new", "", "new"],
    ["same", "same", "", ""],
    ["aa", "aaa", "", "a"],
    ["a b", "a c b", "", "c "],
  ])("%j and %j", (one, other, mine, theirs) => {
    const [left, right] = diffExcerpts(one, other);
    expect([left.differs, right.differs]).toEqual([mine, theirs]);
    expect(left.before + left.differs + left.after).toBe(one);
    expect(right.before + right.differs + right.after).toBe(other);
  });

  it("is described in words for lists, too", () => {
    const values = toValues(
      toForm(
        {
          ...emptyProject,
          gallery: [{ src: "/media/2026/abcdef012345-quay.jpg", caption: "Quay", alt: "Boats" }],
          skills: [{ group: "Design", items: ["Type", "Grid"] }],
          metrics: [{ value: "92 %", label: "matched", note: "of 9" }],
        },
        false,
      ),
    );
    expect(fieldText(values, "gallery")).toBe("1. quay.jpg: Quay, alt: Boats");
    expect(fieldText(values, "skills")).toBe("Design: Type, Grid");
    expect(fieldText(values, "metrics")).toBe("92 % matched (of 9)");
    expect(fileName("/media/2026/abcdef012345-a.jpg")).toBe("a.jpg");
  });
});

describe("a new project", () => {
  const form = { ...toForm(emptyProject, true), name: "Tidewater" };

  it("takes a short description as its lede and a longer one as its text", () => {
    expect(newProject({ ...form, body: "x".repeat(600) })).toMatchObject({ lede: "x".repeat(600) });
    const long = newProject({ ...form, body: "x".repeat(601) });
    expect(long).toMatchObject({ body: "x".repeat(601) });
    expect(long).not.toHaveProperty("lede");
    expect(long).not.toHaveProperty("slug");
  });

  it("asks for a name, not for an address", () => {
    expect(checkNew(form)).toEqual({});
    expect(Object.keys(checkNew({ ...form, name: " " }))).toEqual(["name"]);
  });
});

describe("the state of saving", () => {
  const now = new Date("2026-11-21T12:00:00.000Z");

  it("shows the time of the site's clock, with the date on another day", () => {
    expect(shortTime("2026-11-21T09:05:00.000Z", now, "Europe/Stockholm")).toBe("10:05");
    expect(shortTime("2026-11-20T23:30:00.000Z", now, "Europe/Stockholm")).toBe("00:30");
    expect(shortTime("2026-11-20T22:30:00.000Z", now, "Europe/Stockholm")).toContain("20 Nov 2026");
  });

  it("is shown in words", () => {
    const error = new ApiError("internal", "Something went wrong.");
    const idle = { phase: "idle", error: null } as const;
    expect(saveLabels(idle, 0, false, "14:03").text).toBe("Saved 14:03");
    expect(saveLabels(idle, 0, true, "14:03").text).toBe("Unsaved changes");
    expect(saveLabels({ phase: "saving", error: null }, 0, true, "").text).toBe("Saving…");
    expect(saveLabels({ phase: "failed", error }, 0, true, "").text).toBe("Save failed");
    const refused = { phase: "failed", error: null } as const;
    expect(saveLabels(refused, 2, true, "").text).toBe(
      "Couldn’t save the project: 2 problems to fix",
    );
    expect(saveLabels(refused, 0, true, "").text).toBe("Unsaved changes");
  });
});

describe("the address", () => {
  it.each([
    ["?id=7", 7],
    ["?id=", null],
    ["", null],
    ["?id=-1", null],
    ["?id=1.5", null],
    ["?id=x", null],
  ])("%s names %s", (search, id) => {
    expect(idIn(new URLSearchParams(search), "id")).toBe(id);
  });
});
