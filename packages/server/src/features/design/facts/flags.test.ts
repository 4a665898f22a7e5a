import { describe, expect, it } from "vitest";
import { flagsOf, readKnownFacts } from "./flags.ts";

const brief = `Northwind Bakeries runs 14 shops in Malmö. Between March 2023 and June 2024 I redesigned their ordering
tablet as lead product designer. Closing time fell from 50 to 20 minutes, waste by 45%, and they saved €1,250,000 a year.
About twelve hundred people use it daily. The bakers, Ingrid and Per, tried it for three weeks. Built with React and SQLite.`;
const known = readKnownFacts([brief, "Northwind ordering", "Product design"]);
const flagged = (text: string, textKind?: "prose" | "label" | "image") =>
  flagsOf("body", text, known, textKind).map(
    ({ text: ownerInput, kind }) => `${kind}: ${ownerInput}`,
  );

describe("what the owner has said", () => {
  it.each([
    "Waste fell by 45 %, or 45 percent.",
    "Waste fell by forty-five per cent.",
    "It saved 1.250.000 € a year, so 1.25 million euros, in figures EUR 1'250'000 or €1.25M.",
    "1,200 people use it, that is 1 200 people.",
    "The trial took 3 weeks in fourteen shops.",
    "It ran from March 2023 until June 2024, so 2023–24, or 2023-03 to 06/2024.",
    "In March they asked; by June it stood.",
    "Northwind’s bakers and Ingrid in Malmö use it. For Northwind Bakeries it was new.",
    "Made with React, TypeScript and Adobe Photoshop, on the iPad with a WCAG AA audit, HTML5 and H.264.",
    "## The Problem Behind It\n\n1. First the list\n2. Then the two-column layout, in one place, 24/7.\n\n## Result",
    "I tried it. Then Ingrid did. They may march on. The Result was dull: Monday was quiet.",
    "See https://example.org/2019/45-things and /media/2026/abc123-x.webp.",
    "I call it “the quiet list”.",
    "**Constraint.** Whatever I did, it kept working.\n\n  ## Constraint",
    "It took fourteen and three of them.",
  ])("is no flag: %s", (text) => expect(flagged(text)).toEqual([]));

  it.each(["Lead Product Designer", "Web Application", "Design Systems", "Minutes To Close"])(
    "a label's capitals are no name: %s",
    (text) => expect(flagged(text, "label")).toEqual([]),
  );

  it.each([
    "Three tablets on a counter, two of them lit.",
    "A phone showing 7 loaves. Warm light.",
  ])("what is counted in an image is no flag: %s", (text) =>
    expect(flagged(text, "image")).toEqual([]),
  );
});

describe("what the owner has not said", () => {
  it.each([
    ["Orders rose by 30 %.", ["number: 30 %"]],
    ["Orders rose by thirty percent.", ["number: thirty percent"]],
    // The number is the owner's, its unit is not.
    ["It fell by 14 %, and 14 shops saved $14.", ["number: 14 %", "number: $14"]],
    ["It serves 12,000 people in 15 shops, 3× as many.", ["number: 12,000", "number: 15"]],
    ["Revenue doubled within seven months.", ["number: doubled", "number: seven"]],
    ["It took a five-week trial.", ["number: five"]],
    [
      "Since 2019 it has run; in July it grew. On 4 May 2024 it closed.",
      ["date: 2019", "date: July", "date: 4 May 2024"],
    ],
    ["Shipped in Q3 2024, autumn 2024.", ["date: Q3 2024", "date: autumn 2024"]],
    ["It was made for Spotify with Acme Holding AB.", ["name: Spotify", "name: Acme Holding AB"]],
    ["Blue Harbour Trust asked for it.", ["name: Blue Harbour Trust"]],
    ["They call it “Golden Crust”.", ["name: Golden Crust"]],
    ["Ingrid met Marcus Aldén at IKEA.", ["name: Marcus Aldén", "name: IKEA"]],
    ["## What Spotify needed", ["name: Spotify"]],
  ])("is a flag: %s", (text, expected) => expect(flagged(text)).toEqual(expected));

  it("also in labels and captions", () => {
    expect(flagged("Lead Designer at Spotify", "label")).toEqual(["name: Spotify"]);
    expect(flagged("2021–2024", "label")).toEqual(["date: 2021"]);
    expect(flagged("A chart of 82 % at Blue Harbour Trust, 2019", "image")).toEqual([
      "number: 82 %",
      "name: Blue Harbour Trust",
      "date: 2019",
    ]);
  });

  it("names a claim once in each text", () => {
    expect(flagged("30 % here, 30 % there.")).toEqual(["number: 30 %"]);
  });
});

it("does not take the nouns of another language for clients", () => {
  const german = readKnownFacts([
    "Die Bäckerei hat vierzehn Filialen und wollte eine einfache Bestellung für jeden Morgen. Die Leute am Tresen haben wenig Zeit und kalte Hände, deshalb sind die Knöpfe auf dem Gerät sehr groß und die Liste ist kurz.",
  ]);
  expect(
    flagsOf("body", "Sie haben jetzt mehr Ruhe und weniger Verlust am Abend.", german),
  ).toEqual([]);
});
