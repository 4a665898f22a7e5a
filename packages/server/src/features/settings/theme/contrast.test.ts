import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { platformRoot } from "../../../platform/paths.ts";
import { accents, themes } from "./theme-setting.ts";
import { accentPreviews, inColorScheme, tokensOfTheme } from "./theme-sheet.ts";

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(color: string): number {
  const channels = /^#(..)(..)(..)$/.exec(color)?.slice(1) ?? [];
  if (channels.length !== 3) throw new Error(`${color} is not a colour such as #1c6b3c.`);
  const [r = 0, g = 0, b = 0] = channels.map((hex) => {
    const value = Number.parseInt(hex, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** What stands on what, and how much it has to stand out (WCAG 2.2, 1.4.3 and 1.4.11). */
const words = ["text", "muted", "accent", "ok", "danger"];
const pairs = [
  ...words.flatMap((name) => [[name, "bg", 4.5] as const, [name, "surface", 4.5] as const]),
  ["on-accent", "accent", 4.5] as const,
  // What a filled button becomes under the pointer.
  ["bg", "text", 4.5] as const,
  ["bg", "danger", 4.5] as const,
  ["control", "bg", 3] as const,
  ["control", "surface", 3] as const,
];

const sheet = await readFile(
  join(platformRoot, "packages/template/app/src/styles/theme.css"),
  "utf8",
);

test.each(
  themes.flatMap((themeName) => [[themeName, "light"] as const, [themeName, "dark"] as const]),
)("every pair of colors of %s in its %s theme can be read", (themeName, theme) => {
  const tokens = tokensOfTheme(sheet, themeName);
  const color = (name: string) => inColorScheme(tokens[name] ?? "", theme);
  const faint = pairs.flatMap(([front, back, least]) => {
    const found = contrast(color(front), color(back));
    return found >= least ? [] : [`${front} on ${back}: ${found.toFixed(2)}`];
  });
  expect(faint).toEqual([]);
});

test.each(accentPreviews(sheet))("the accent $accent can be read in every theme", (accent) => {
  const faint = themes.flatMap((themeName) =>
    (["light", "dark"] as const).flatMap((mode) => {
      const tokens = tokensOfTheme(sheet, themeName);
      return ["bg", "surface", "on-accent"].flatMap((name) => {
        const found = contrast(accent[mode], inColorScheme(tokens[name] ?? "", mode));
        return found >= 4.5 ? [] : [`on ${name} of ${themeName}, ${mode}: ${found.toFixed(2)}`];
      });
    }),
  );
  expect(faint).toEqual([]);
});

test("every accent except the theme's default has a CSS rule", () => {
  const found = accentPreviews(sheet).map(({ accent }) => accent);
  expect(found).toEqual(accents.filter((accent) => accent !== "theme"));
});

test("each theme differs from the others in more than its name", () => {
  const drawn = themes.map((themeName) => JSON.stringify(tokensOfTheme(sheet, themeName)));
  expect(new Set(drawn).size).toBe(themes.length);
});

test("the contrasts stated in the style sheet are correct", () => {
  const reported = [
    ...sheet.matchAll(/--([\w-]+): (light-dark\([^;]*\)); \/\* ([\d.]+), ([\d.]+)/g),
  ];
  expect(reported.length).toBeGreaterThan(15);
  let background = "";
  for (const [, name = "", value = "", light = "", dark = ""] of reported) {
    const before = sheet.slice(0, sheet.indexOf(`--${name}: ${value}`));
    background = /--bg: ([^;]*);[^}]*$/.exec(before)?.[1] ?? background;
    const found = (theme: "light" | "dark") =>
      contrast(inColorScheme(value, theme), inColorScheme(background, theme)).toFixed(1);
    expect([name, found("light"), found("dark")]).toEqual([name, light, dark]);
  }
});
