import { describe, expect, it } from "vitest";

import type { ProjectDetail } from "../../../../../server/src/features/projects/schema.ts";
import type { MediaItem } from "../../../api/types.ts";
import { afterSave, changesOf, conflictsOf, merge } from "./changes.ts";
import type { StoredDraft } from "./drafts.ts";
import { openEditor, reduceEditor } from "./editor-state.ts";
import type { EditorAction, EditorState } from "./editor-types.ts";
import { toForm, toValues } from "./form.ts";
import { newKey } from "./keyed-list.ts";

const src = (name: string): string => `/media/2026/abcdef012345-${name}.jpg`;

const media = (name: string, alt = ""): MediaItem => ({
  id: 1,
  kind: "image",
  src: src(name),
  originalName: `${name}.jpg`,
  mime: "image/jpeg",
  bytes: 1,
  originalBytes: 1,
  width: 1,
  height: 1,
  duration: null,
  hasAlpha: false,
  animated: false,
  poster: null,
  placeholder: null,
  variants: [],
  avif: [],
  uncropped: null,
  sha256: "",
  alt,
  isDecorative: false,
  focalPoint: { x: 50, y: 50 },
  createdAt: "",
});

function project(part: Partial<ProjectDetail> = {}): ProjectDetail {
  return {
    id: 7,
    slug: "tidewater-ledger",
    name: "Tidewater Ledger",
    status: "draft",
    audience: "everyone",
    summary: "Books for a harbour.",
    lede: "",
    body: "## Problem\n\nPaper.",
    kind: "Web app",
    period: "2025",
    role: "",
    categories: ["Web"],
    stack: ["Astro", "SQLite"],
    skills: [{ group: "Design", items: ["Type", "Layout"] }],
    metrics: [{ value: "92 %", label: "Receipts matched" }],
    gallery: [
      { src: src("a"), caption: "A" },
      { src: src("b"), caption: "B", alt: "Second" },
      { src: src("c"), caption: "" },
    ],
    reelUrl: null,
    brief: "",
    position: 0,
    version: 3,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    media: [media("a"), media("b"), media("c")],
    ...part,
  };
}

const after = (state: EditorState, ...actions: EditorAction[]): EditorState =>
  actions.reduce(reduceEditor, state);

describe("what a save sends", () => {
  it("is nothing if nothing was changed, whatever the record contains", () => {
    const record = project();
    expect(changesOf(record, openEditor(record).form)).toEqual({});
    expect(toValues(toForm(record, false))).toEqual(
      Object.fromEntries(
        Object.entries(record).filter(([key]) => key in toValues(toForm(record, false))),
      ),
    );
  });

  it("is only the changed fields, cleaned", () => {
    const state = after(
      openEditor(project()),
      { type: "text", field: "summary", value: "  Books for a fleet. " },
      { type: "text", field: "kind", value: "Web app " },
      { type: "words", field: "stack", words: ["Astro"] },
    );
    expect(changesOf(state.base, state.form)).toEqual({
      summary: "Books for a fleet.",
      stack: ["Astro"],
    });
  });

  it("is the visibility if it was changed, and nothing if it was changed back", () => {
    const chosen = after(openEditor(project()), {
      type: "fill",
      values: { audience: "invited" },
    });
    expect(changesOf(chosen.base, chosen.form)).toEqual({ audience: "invited" });
    const back = after(chosen, { type: "fill", values: { audience: "everyone" } });
    expect(changesOf(back.base, back.form)).toEqual({});
  });

  it("leaves out blank cards and places without a file", () => {
    const state = after(
      openEditor(project()),
      { type: "add", list: "metrics", items: [{ key: newKey(), value: "", label: "", note: "" }] },
      { type: "add", list: "skills", items: [{ key: newKey(), group: " ", items: [] }] },
      {
        type: "add",
        list: "gallery",
        items: [{ key: newKey(), src: null, caption: "", alt: "", upload: "u1" }],
      },
    );
    expect(changesOf(state.base, state.form)).toEqual({});
  });

  it("sends a cleared link as null and a cleared alt text not at all", () => {
    const state = after(
      openEditor(project({ reelUrl: "https://www.instagram.com/reel/abc/" })),
      { type: "text", field: "reelUrl", value: " " },
      { type: "edit", list: "gallery", key: `${src("b")} 1`, part: { alt: "" } },
    );
    const sent = changesOf(state.base, state.form);
    expect(sent.reelUrl).toBeNull();
    expect(sent.gallery?.[1]).toEqual({ src: src("b"), caption: "B" });
  });
});

describe("the address", () => {
  it("follows the name of a draft until it is edited itself", () => {
    const named = after(openEditor(project()), {
      type: "text",
      field: "name",
      value: "Åre på höjden",
    });
    expect(named.form.slug).toBe("are-pa-hojden");
    const touched = after(
      named,
      { type: "text", field: "slug", value: "are" },
      { type: "text", field: "name", value: "Other" },
    );
    expect(touched.form.slug).toBe("are");
    expect(after(touched, { type: "followName" }).form.slug).toBe("other");
  });

  it("stays the same once the project is published or was given its own", () => {
    const name = { type: "text", field: "name", value: "Other" } as const;
    expect(after(openEditor(project({ status: "published" })), name).form.slug).toBe(
      "tidewater-ledger",
    );
    expect(after(openEditor(project({ slug: "ledger" })), name).form.slug).toBe("ledger");
  });
});

describe("lists", () => {
  const order = (state: EditorState): string[] => state.form.gallery.map(({ caption }) => caption);

  it("move within their bounds and keep their items", () => {
    const state = openEditor(project());
    const key = `${src("c")} 2`;
    expect(order(after(state, { type: "move", list: "gallery", key, to: 0 }))).toEqual([
      "",
      "A",
      "B",
    ]);
    expect(order(after(state, { type: "move", list: "gallery", key, to: 99 }))).toEqual([
      "A",
      "B",
      "",
    ]);
    expect(order(after(state, { type: "move", list: "gallery", key, to: -5 }))).toEqual([
      "",
      "A",
      "B",
    ]);
    expect(order(after(state, { type: "move", list: "gallery", key: "?", to: 0 }))).toEqual([
      "A",
      "B",
      "",
    ]);
  });

  it("restore a removed image in its place, with its texts", () => {
    const gone = after(openEditor(project()), {
      type: "remove",
      list: "gallery",
      key: `${src("b")} 1`,
    });
    expect(order(gone)).toEqual(["A", ""]);
    const back = after(gone, { type: "bringBack" });
    expect(back.form.gallery[1]).toMatchObject({ src: src("b"), caption: "B", alt: "Second" });
    expect(back.removed).toBeNull();
    expect(changesOf(back.base, back.form)).toEqual({});
  });

  it("restore removed cards and groups, too, unless they were empty", () => {
    const state = openEditor(project());
    for (const [list, key] of [
      ["metrics", "m0"],
      ["skills", "s0"],
    ] as const) {
      const gone = after(state, { type: "remove", list, key });
      expect(gone.form[list]).toEqual([]);
      expect(changesOf(state.base, after(gone, { type: "bringBack" }).form)).toEqual({});
    }
    const blank = { key: newKey(), value: " ", label: "", note: "" };
    const without = after(
      state,
      { type: "add", list: "metrics", items: [blank] },
      { type: "remove", list: "metrics", key: blank.key },
    );
    expect(without.removed).toBeNull();
  });

  it("never give two items the same key, whatever was removed before", () => {
    const three = ["1", "2", "3"].map((value) => ({ value, label: value }));
    const record = project({ metrics: three });
    const fewer = after(openEditor(record), { type: "remove", list: "metrics", key: "m0" });
    const again = toForm({ ...toValues(fewer.form), metrics: three }, false, fewer.form);
    const back = after({ ...fewer, form: again }, { type: "bringBack" });
    expect(new Set(back.form.metrics.map(({ key }) => key)).size).toBe(4);
  });

  it("put each upload into its own place, whichever finishes first", () => {
    const places = ["u1", "u2", "u3"].map((upload) => ({
      key: upload,
      src: null,
      caption: "",
      alt: "",
      upload,
    }));
    const state = after(
      openEditor(project({ gallery: [], media: [] })),
      { type: "add", list: "gallery", items: places },
      { type: "uploaded", upload: "u3", media: media("third") },
      { type: "uploaded", upload: "u1", media: media("first", "One") },
    );
    expect(changesOf(state.base, state.form).gallery).toEqual([
      { src: src("first"), caption: "", alt: "One" },
      { src: src("third"), caption: "" },
    ]);
    const all = after(state, { type: "uploaded", upload: "u2", media: media("second") });
    expect(all.form.gallery.map((slot) => slot.src)).toEqual([
      src("first"),
      src("second"),
      src("third"),
    ]);
    expect(all.known[src("second")]?.originalName).toBe("second.jpg");
  });

  it("replace an image and keep its texts", () => {
    const state = after(
      openEditor(project()),
      { type: "edit", list: "gallery", key: `${src("b")} 1`, part: { upload: "u9" } },
      { type: "uploaded", upload: "u9", media: media("new", "From the file") },
    );
    expect(state.form.gallery[1]).toMatchObject({
      src: src("new"),
      caption: "B",
      alt: "Second",
      upload: null,
    });
  });
});

describe("after a save", () => {
  it("keeps what was typed in the meantime", () => {
    const state = after(openEditor(project()), {
      type: "text",
      field: "summary",
      value: "First words.",
    });
    const sent = changesOf(state.base, state.form);
    const typing = after(state, { type: "text", field: "summary", value: "First words. More." });
    const saved = after(typing, {
      type: "saved",
      sent,
      answer: project({ summary: "First words.", version: 4 }),
    });
    expect(saved.base.version).toBe(4);
    expect(changesOf(saved.base, saved.form)).toEqual({ summary: "First words. More." });
  });

  it("takes the server's cleaned text, and keeps a place that is still uploading", () => {
    const state = after(
      openEditor(project()),
      { type: "words", field: "stack", words: ["Astro", "Astro"] },
      {
        type: "add",
        list: "gallery",
        items: [{ key: "u", src: null, caption: "Soon", alt: "", upload: "u" }],
      },
      { type: "move", list: "gallery", key: "u", to: 1 },
      { type: "edit", list: "gallery", key: `${src("a")} 0`, part: { caption: "A\u0007" } },
    );
    const sent = changesOf(state.base, state.form);
    const gallery = project().gallery;
    const saved = after(state, {
      type: "saved",
      sent,
      answer: project({ stack: ["Astro"], gallery, version: 4 }),
    });
    expect(saved.form.stack).toEqual(["Astro"]);
    expect(saved.form.gallery.map(({ caption }) => caption)).toEqual(["A", "Soon", "B", ""]);
    expect(saved.form.gallery[0]?.key).toBe(`${src("a")} 0`);
  });

  it("shows what somebody else saved in untouched fields", () => {
    const before = project();
    const form = toForm(before, false);
    const next = afterSave(form, before, {}, project({ role: "Lead", version: 9 }));
    expect(next.role).toBe("Lead");
  });
});

describe("a concurrent save", () => {
  const mine = after(
    openEditor(project()),
    { type: "text", field: "summary", value: "Mine." },
    { type: "text", field: "lede", value: "My lede." },
  );
  const theirs = project({ summary: "Theirs.", role: "Lead", version: 5 });

  it("says who changed what", () => {
    expect(conflictsOf(mine.base, mine.form, theirs)).toEqual([
      { field: "summary", changedBy: "both" },
      { field: "lede", changedBy: "me" },
      { field: "role", changedBy: "them" },
    ]);
  });

  it("keeps my text and takes what only they changed, if nobody chooses", () => {
    const form = merge(mine.base, mine.form, theirs, {});
    expect(form).toMatchObject({ summary: "Mine.", lede: "My lede.", role: "Lead" });
    expect(changesOf(theirs, form)).toEqual({ summary: "Mine.", lede: "My lede." });
  });

  it("takes theirs field by field, with my text kept aside", () => {
    const resolved = after(
      mine,
      { type: "conflict", theirs },
      { type: "choose", fields: ["summary"], choice: "theirs" },
      { type: "resolve" },
    );
    expect(resolved.base.version).toBe(5);
    expect(resolved.conflict).toBeNull();
    expect(changesOf(resolved.base, resolved.form)).toEqual({ lede: "My lede." });
    const back = after(resolved, { type: "bringBackMine" });
    expect(changesOf(back.base, back.form)).toMatchObject({ summary: "Mine.", lede: "My lede." });
  });

  it("compares text typed after the banner appeared, too", () => {
    const typed = after(
      mine,
      { type: "conflict", theirs },
      { type: "text", field: "summary", value: "Mine, later." },
      { type: "resolve" },
    );
    expect(typed.form.summary).toBe("Mine, later.");
  });
});

describe("a kept draft", () => {
  const draft: StoredDraft = {
    id: "x",
    at: 0,
    version: 3,
    changes: { summary: "Kept.", stack: ["Go"] },
    base: { summary: "Books for a harbour.", stack: ["Astro", "SQLite"] },
  };

  it("is restored as unsaved changes", () => {
    const state = after(openEditor(project()), { type: "takeDraft", draft });
    expect(changesOf(state.base, state.form)).toEqual(draft.changes);
    expect(state.conflict).toBeNull();
  });

  it("asks if the record has changed in the same field since", () => {
    const now = project({ version: 4, summary: "Newer." });
    const state = after(openEditor(now), { type: "takeDraft", draft });
    expect(state.conflict?.theirs.version).toBe(4);
    expect(state.base.version).toBe(3);
    expect(conflictsOf(state.base, state.form, now).map(({ field }) => field)).toEqual([
      "summary",
      "stack",
    ]);
    const done = after(state, { type: "resolve" });
    expect(done.base.version).toBe(4);
    expect(changesOf(done.base, done.form)).toEqual(draft.changes);
  });

  it("doesn't ask if the record changed elsewhere", () => {
    const now = project({ version: 4, role: "Lead" });
    const state = after(openEditor(now), { type: "takeDraft", draft });
    expect(state.conflict).toBeNull();
    expect(changesOf(state.base, state.form)).toEqual(draft.changes);
  });
});

describe("errors", () => {
  it("appear at the place of the error, and only there", () => {
    const errors = { "skills.s0.items": "x", "metrics.m0.value": "y", name: "z" };
    const state = after(
      openEditor(project()),
      { type: "errors", errors },
      { type: "edit", list: "skills", key: "s0", part: { items: [] } },
      { type: "text", field: "name", value: "A" },
    );
    expect(state.errors).toEqual({ "metrics.m0.value": "y" });
    expect(after(state, { type: "remove", list: "metrics", key: "m0" }).errors).toEqual({});
  });
});
