import { expect, test } from "vitest";

import { entryBounds } from "../../../../server/src/features/changelog/entry.ts";
import type { Entry } from "../../api/types.ts";
import { bounds, createBody, formOf, missing, saveBody } from "./form.ts";

const zone = "Europe/Stockholm";
const entry: Entry = {
  id: 4,
  kind: "fix",
  title: "Mended the menu",
  detail: "",
  at: "2026-11-21T09:17:42.123Z",
  actor: "Mara",
  source: "app",
  commit: null,
  hidden: false,
};

test("a correction sends only what differs; an unchanged time keeps its seconds", () => {
  const form = formOf(entry, zone);
  expect(form.at).toBe("2026-11-21T10:17");
  expect(saveBody(entry, form, zone)).toEqual({ id: 4 });
  expect(saveBody(entry, { ...form, title: "Mended it", detail: "All" }, zone)).toEqual({
    id: 4,
    title: "Mended it",
    detail: "All",
  });
  expect(saveBody(entry, { ...form, at: "2026-11-21T10:18" }, zone)).toEqual({
    id: 4,
    at: "2026-11-21T09:18:00.000Z",
  });
});

test("a new entry leaves the time and the actor to the server unless they are given", () => {
  const form = { ...formOf(null, zone), title: "New" };
  expect(createBody(form, zone)).toEqual({ kind: "content", title: "New", detail: "" });
  expect(createBody({ ...form, at: "2026-07-01T12:00", actor: "Ada" }, zone)).toMatchObject({
    at: "2026-07-01T10:00:00.000Z",
    actor: "Ada",
  });
});

test("missing values are reported by field", () => {
  expect(Object.keys(missing({ ...formOf(null, zone), kind: " " }))).toEqual(["kind", "title"]);
  expect(missing(formOf(entry, zone))).toEqual({});
  expect(Object.keys(missing(formOf(entry, zone), true))).toEqual(["at"]);
});

test("the form's limits are the server's", () => {
  expect(bounds).toEqual(entryBounds);
});
