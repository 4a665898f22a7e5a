import { describe, expect, it } from "vitest";
import { z } from "zod";

import { projectFields } from "../../../../../server/src/features/projects/project.ts";
import { placeErrors } from "./errors.ts";
import { type Form, toForm, toValues, type Values } from "./form.ts";
import { emptyProject } from "./new-project.ts";
import { slugOf } from "./slug.ts";
import { bounds, check } from "./validate.ts";

const blank: Values = { ...toValues(toForm(emptyProject, false)), name: "A", slug: "a" };
const server = z.object(projectFields).partial();
const form = (part: Partial<Values>): Form => toForm({ ...blank, ...part }, false);
const text = (length: number): string => "x".repeat(length);
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index}`);

const image = { src: "/media/2026/abcdef012345-a.jpg", caption: "" };

/** Each pair: what is just allowed, and what is just too much. */
const edges: readonly [string, Partial<Values>, Partial<Values>][] = [
  ["name", { name: text(bounds.name) }, { name: text(bounds.name + 1) }],
  ["no name", { name: "a" }, { name: "  " }],
  ["slug", { slug: text(80) }, { slug: text(81) }],
  ["slug form", { slug: "a-b-1" }, { slug: "a--b" }],
  ["no slug", { slug: "a" }, { slug: "" }],
  ["summary", { summary: text(280) }, { summary: text(281) }],
  ["lede", { lede: text(600) }, { lede: text(601) }],
  ["body", { body: text(50_000) }, { body: text(50_001) }],
  ["kind", { kind: text(60) }, { kind: text(61) }],
  ["period", { period: text(60) }, { period: text(61) }],
  ["role", { role: text(120) }, { role: text(121) }],
  ["brief", { brief: text(8000) }, { brief: text(8001) }],
  ["categories", { categories: words(12) }, { categories: words(13) }],
  ["category", { categories: [text(40)] }, { categories: [text(41)] }],
  ["stack", { stack: words(40) }, { stack: words(41) }],
  [
    "skills",
    { skills: [{ group: text(60), items: words(24) }] },
    { skills: [{ group: text(60), items: words(25) }] },
  ],
  [
    "skill",
    { skills: [{ group: "a", items: [text(40)] }] },
    { skills: [{ group: "a", items: [text(41)] }] },
  ],
  ["group", { skills: [{ group: "a", items: [] }] }, { skills: [{ group: text(61), items: [] }] }],
  [
    "no group",
    { skills: [{ group: "a", items: ["b"] }] },
    { skills: [{ group: " ", items: ["b"] }] },
  ],
  [
    "groups",
    { skills: words(12).map((group) => ({ group, items: [] })) },
    { skills: words(13).map((group) => ({ group, items: [] })) },
  ],
  [
    "metrics",
    { metrics: words(8).map((label) => ({ value: "1", label })) },
    { metrics: words(9).map((label) => ({ value: "1", label })) },
  ],
  [
    "metric",
    { metrics: [{ value: text(24), label: text(60), note: text(160) }] },
    { metrics: [{ value: text(25), label: text(61), note: text(161) }] },
  ],
  [
    "gallery",
    { gallery: Array.from({ length: 60 }, () => image) },
    { gallery: Array.from({ length: 61 }, () => image) },
  ],
  ["no label", { metrics: [{ value: "1", label: "a" }] }, { metrics: [{ value: "1", label: "" }] }],
  [
    "picture",
    { gallery: [{ ...image, caption: text(300), alt: text(300) }] },
    { gallery: [{ ...image, caption: text(301), alt: text(301) }] },
  ],
  [
    "reel",
    { reelUrl: "https://www.instagram.com/reel/Cx_1-2/?igsh=abc" },
    { reelUrl: "https://www.instagram.com/tidewater" },
  ],
  [
    "reel scheme",
    { reelUrl: "https://instagram.com/p/abc" },
    { reelUrl: "http://www.instagram.com/p/abc" },
  ],
];

describe("the checks before a save", () => {
  it.each(edges)("agree with the server about %s", (_name, allowed, refused) => {
    expect(server.safeParse(toValues(form(allowed))).success).toBe(true);
    expect(check(form(allowed))).toEqual({});
    expect(server.safeParse(toValues(form(refused))).success).toBe(false);
    expect(Object.keys(check(form(refused))).length).toBeGreaterThan(0);
  });

  it("report what is too long, at its own control", () => {
    const errors = check(form({ stack: ["Astro", text(41)] }));
    expect(errors).toEqual({ stack: `“${text(41)}” is longer than 40 characters.` });
  });
});

describe("the server's errors", () => {
  const sent: Form = {
    ...form({
      categories: ["Web", "Print"],
      skills: [
        { group: "", items: [] },
        { group: "Design", items: ["Type", "Layout"] },
      ],
      metrics: [{ value: "1", label: "a" }],
    }),
    gallery: [
      { key: "waits", src: null, caption: "", alt: "", upload: "u" },
      { key: "first", src: image.src, caption: "", alt: "", upload: null },
    ],
  };

  it("are shown at their control, whatever was left out of the request", () => {
    const { errors, other } = placeErrors(sent, {
      "skills.0.items.1": "must be at most 40 characters",
      "gallery.0.src": "is not stored",
      "metrics.0.value": "can't be empty",
      "categories.1": "must be at most 40 characters",
      slug: "is taken already",
      version: "must be a number",
    });
    expect(errors).toEqual({
      "skills.s1.items": "“Layout”: Must be at most 40 characters.",
      "gallery.first.src": "Is not stored.",
      "metrics.m0.value": "Can't be empty.",
      categories: "“Print”: Must be at most 40 characters.",
      slug: "Is taken already.",
    });
    expect(other).toEqual(["version: must be a number"]);
  });
});

describe("slugOf", () => {
  it.each([
    ["Tidewater Ledger", "tidewater-ledger"],
    ["Åre på höjden", "are-pa-hojden"],
    ["  Smørrebrød & Œuvre — Łódź  ", "smorrebrod-oeuvre-lodz"],
    ["It’s 3 d → 4 h", "its-3-d-4-h"],
    ["日本", ""],
  ])("%s → %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("is at most 80 characters long and never ends in a hyphen", () => {
    const slug = slugOf(`${text(79)} and more`);
    expect(slug).toBe(text(79));
  });
});
