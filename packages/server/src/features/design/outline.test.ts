import { describe, expect, it } from "vitest";
import { projectCreate } from "../projects/schema.ts";
import { flagsOfRecord, readKnownFacts } from "./facts/flags.ts";
import { captionOfName, outlineOf } from "./outline.ts";

const brief = `Northwind Bakeries runs 14 shops in Malmö. Between March 2023 and June 2024 I redesigned their ordering web app as lead product designer.

Closing time fell from 50 to 20 minutes, and waste by 45 percent. Built with React, TypeScript and SQLite, drawn in Figma. Go was not used.

Stress the quiet mornings. Please keep it short.`;

const image = (n: number, originalName: string, alt = "") => ({
  id: n,
  kind: "image" as const,
  src: `/media/2026/abc${n}-x.webp`,
  mime: "image/webp",
  originalName,
  alt,
  poster: null,
  variants: [],
  width: 800,
  bytes: 10,
});
const input = {
  name: "Northwind ordering",
  brief,
  category: "Product",
  images: [image(1, "counter-at-dawn.jpg", "A counter."), image(2, "IMG_2041.HEIC")],
  present: null,
};

describe("the outline", () => {
  const made = outlineOf(input);
  it("takes the facts from the brief", () => {
    expect(made).toMatchObject({
      slug: "northwind-ordering",
      kind: "Web app",
      period: "March 2023–June 2024",
      role: "Lead product designer",
      categories: ["Product"],
      stack: ["React", "TypeScript", "SQLite", "Figma"],
      skills: [
        { group: "Frontend", items: ["React", "TypeScript"] },
        { group: "Data", items: ["SQLite"] },
        { group: "Design", items: ["Figma"] },
      ],
      gallery: [
        { src: "/media/2026/abc1-x.webp", caption: "Counter at dawn", alt: "A counter." },
        { src: "/media/2026/abc2-x.webp", caption: "" },
      ],
    });
    expect(made.metrics).toEqual([
      { value: "14", label: "shops in Malmö" },
      { value: "50 → 20 minutes", label: "Closing time fell" },
      { value: "45 %", label: "waste" },
    ]);
  });
  it("says in the texts what the owner said, without what was asked of the designer", () => {
    expect(made.summary).toMatch(/^Northwind Bakeries runs 14 shops in Malmö\. Between March/);
    expect(made.body).toContain("Closing time fell from 50 to 20 minutes");
    expect(made.body).not.toMatch(/Stress|Please/);
  });
  it("is a record that can be stored, invents nothing and is the same each time", () => {
    expect(projectCreate.safeParse(made).success).toBe(true);
    expect(
      flagsOfRecord(
        made,
        readKnownFacts([brief, input.name, "Product", "A counter.", "Counter at dawn"]),
      ),
    ).toEqual([]);
    expect(outlineOf(input)).toEqual(made);
  });
  it("holds the bounds whatever the brief", () => {
    const long = outlineOf({
      ...input,
      brief: `${"x".repeat(3000)} ${"45 % of all things, ".repeat(200)}`.slice(0, 8000),
    });
    expect(projectCreate.safeParse(long).success).toBe(true);
    expect(projectCreate.safeParse(outlineOf({ ...input, brief: "" })).success).toBe(true);
  });
});

it.each([
  ["harbour_Sign-02.jpg", "Harbour sign"],
  ["DSC00123.JPG", ""],
  ["Screenshot 2024-03-01 at 10.22.png", ""],
  ["homePageMobile.png", "Home page mobile"],
])("the caption of %s is “%s”", (name, caption) => expect(captionOfName(name)).toBe(caption));
