import { describe, expect, it } from "vitest";

import type { BuiltProject } from "../../../../../../server/src/features/design/schema.ts";
import { ApiError, makeClient } from "../../../../api/client.ts";
import { openEditor, reduceEditor } from "../editor-state.ts";
import { type Form, toForm, toValues, type Values } from "../form.ts";
import { emptyProject } from "../new-project.ts";
import { buildProject } from "./build-stream.ts";
import { builtValues, saveBuilt, loadBuilt, toBuilt, textBefore } from "./built.ts";
import { findFlags, openFlags, textAt, whereLabel, joinBrief } from "./flags.ts";
import { locateText, writeAt } from "./text-location.ts";

const blank = toValues(toForm(emptyProject, true));
const values: Values = {
  ...blank,
  name: "Northwind",
  summary: "Bread.",
  lede: "Orders rose by 45 %.",
  kind: "Web app",
  body: "## What it was\n\nThe **list** is short.\n\n- one thing\n- one thing",
  stack: ["Figma", "React"],
  metrics: [
    { value: "14", label: "shops" },
    { value: "77 %", label: "fewer calls" },
  ],
  skills: [{ group: "Design", items: ["Interfaces", "Types"] }],
  gallery: [{ src: "/media/2026/000000000000-a.jpg", caption: "At dawn" }],
  brief: "Said.",
};
const form = (part: Partial<Values> = {}): Form => toForm({ ...values, ...part }, true);
const response: BuiltProject = {
  project: values,
  outline: false,
  notes: [],
  flags: [
    { path: "lede", text: "45 %", kind: "number" },
    { path: "metrics.1.value", text: "77 %", kind: "number" },
    { path: "gallery.0.caption", text: "dawn", kind: "name" },
    { path: "stack.1", text: "React", kind: "name" },
  ],
};
const before = { body: "My words.", brief: "Short." };

describe("what is not in the brief", () => {
  const built = toBuilt(response, form(), before);
  it("is shown at its field, also after items are moved, until it is changed", () => {
    const [, second] = form().metrics;
    expect(built.flags.map(({ path }) => path)).toEqual([
      "lede",
      `metrics.${second?.key}.value`,
      `gallery.${form().gallery[0]?.key}.caption`,
      "stack",
    ]);
    const moved = { ...form(), metrics: form().metrics.toReversed() };
    expect(openFlags(moved, built.flags)).toHaveLength(4);
    expect(whereLabel(moved, built.flags[1]?.path ?? "")).toBe("Metrics 1");
    expect(openFlags(form({ lede: "Orders rose." }), built.flags)).toHaveLength(3);
    expect(openFlags(form({ metrics: [], stack: [] }), built.flags)).toHaveLength(2);
  });
  it("is found again in items with other keys", () => {
    const [, second] = values.metrics;
    const reloaded = form({ metrics: second ? [second] : [] });
    const found = findFlags(reloaded, built.flags);
    expect(found).toHaveLength(4);
    expect(textAt(reloaded, found[1]?.path ?? "")).toBe("77 %");
  });
});

describe("a built page", () => {
  it("fills the form except for the owner's own words, and undo restores the owner's words", () => {
    const own = { src: values.gallery[0]?.src ?? "", caption: "My caption" };
    const start = reduceEditor(openEditor(emptyProject), {
      type: "fill",
      values: { ...before, name: "Mine", categories: ["Product"], gallery: [own] },
    });
    const mine = toValues(start.form);
    const filled = reduceEditor(start, { type: "fill", values: builtValues(response, mine) });
    expect(toValues(filled.form)).toMatchObject({
      name: "Mine",
      slug: "",
      lede: values.lede,
      categories: ["Product"],
      gallery: [own],
    });
    expect(filled.form.slugFollows).toBe(true);
    const built = toBuilt(response, filled.form, textBefore(mine));
    const back = reduceEditor(filled, { type: "fill", values: built.before });
    expect(toValues(back.form)).toEqual(mine);
  });
  it("is kept in the browser, and damaged data is ignored", () => {
    const kept = new Map<string, string>();
    const memory = {
      get: (key: string) => kept.get(key) ?? null,
      set: (key: string, value: string) => void kept.set(key, value),
      remove: (key: string) => void kept.delete(key),
    };
    const built = toBuilt(response, form(), before);
    saveBuilt(memory, built);
    expect(loadBuilt(memory)).toEqual(built);
    for (const damaged of ["{", "[]", "7", '{"flags":1}']) {
      memory.set("new-built", damaged);
      expect(loadBuilt(memory)).toBeNull();
    }
    saveBuilt(memory, null);
    expect(kept.size).toBe(0);
  });
  it("is generated from the description and the prompt", () => {
    expect(joinBrief(form({ body: " A ", brief: "B" }))).toBe("A\n\nB");
    expect(joinBrief(form({ body: "", brief: "B" }))).toBe("B");
  });
});

describe("a text on the page", () => {
  it.each([
    ["Northwind", "name", true],
    ["Orders rose by 45 %.", "lede", true],
    // The page shows it in capitals: taken over as it is, the field would shout.
    ["WEB APP", "kind", false],
    ["The list is short.", "body", false],
    ["What it was", "body", true],
    ["one thing", "body", false],
    ["React", "stack", false],
    ["Figma, React", "stack", false],
    ["At dawn", "gallery.", true],
    ["fewer calls", "metrics.", true],
    ["Interfaces", "skills.", false],
  ])("%s comes from %s", (text, path, writable) => {
    const place = locateText(form(), text);
    expect(place?.path.startsWith(path)).toBe(true);
    expect(place?.writable).toBe(writable);
  });
  it("doesn't belong to the record elsewhere", () => {
    for (const text of ["Contact", "", "  ", "short"]) expect(locateText(form(), text)).toBeNull();
  });
  it("is written into its field, in the body only if it occurs there once", () => {
    const write = (text: string, next: string) => {
      const place = locateText(form(), text);
      return place && writeAt(form(), place, next);
    };
    expect(write("Northwind", "N")).toEqual({ type: "text", field: "name", value: "N" });
    expect(write("What it was", "Why $& it")).toMatchObject({
      field: "body",
      value: values.body.replace("What it was", () => "Why $& it"),
    });
    expect(write("one thing", "two")).toBeNull();
    expect(write("fewer calls", "calls")).toMatchObject({
      type: "edit",
      list: "metrics",
      part: { label: "calls" },
    });
  });
});

describe("following the work", () => {
  const stream = (text: string, status = 200) =>
    new Response(text, { status, headers: { "content-type": "text/event-stream" } });
  const call = (responses: Response[]) => {
    const progress: string[] = [];
    let signIns = 0;
    const result = buildProject(
      { name: "x" },
      {
        client: makeClient({
          fetch: async () => responses.shift() ?? Response.error(),
          signIn: async () => void (signIns += 1),
        }),
        signal: new AbortController().signal,
        onProgress: ({ title }) => progress.push(title),
      },
    );
    return { result, progress, signIns: () => signIns };
  };
  it("reports each step and returns the result, after signing in again if necessary", async () => {
    const said = `: begun\n\nevent: progress\ndata: {"step":"read","title":"Reading"}\n\nevent: result\ndata: ${JSON.stringify(response)}\n\n`;
    const { result, progress, signIns } = call([stream("", 401), stream(said)]);
    expect(await result).toEqual(response);
    expect([progress, signIns()]).toEqual([["Reading"], 1]);
  });
  it.each([
    [
      stream('event: error\ndata: {"code":"upstream_failed","message":"Declined."}\n\n'),
      "upstream_failed",
    ],
    [stream(": begun\n\n"), "offline"],
    [
      stream('{"ok":false,"data":null,"error":{"code":"throttled","message":"Enough."}}', 429),
      "throttled",
    ],
  ])("reports what went wrong", async (said, code) => {
    await expect(call([said]).result).rejects.toSatisfy(
      (error) => error instanceof ApiError && error.code === code,
    );
  });
});
