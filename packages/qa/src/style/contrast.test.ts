import { expect, test } from "vitest";
import { tempFolder } from "../../../../test/support/temp.ts";
import { goodPage, manifestOf, writeSite } from "../../../../test/support/built-site.ts";
import { makeParseCaches, openSite } from "../site/site.ts";
import { type ContrastReport, findLowContrastText } from "./contrast.ts";

async function computedPage(css: string, main: string, head = ""): Promise<ContrastReport> {
  await using folder = await tempFolder();
  const files = { "index.html": goodPage("/", main, head), "site.css": css };
  await writeSite(`${folder.path}/s`, files);
  const site = openSite(`${folder.path}/s`, manifestOf(files), makeParseCaches());
  const page = site.page("/");
  if (!page) throw new Error("There is no page.");
  return findLowContrastText(page, site);
}

const base = "html{color:#222;background:#fff}a{color:#00c}";
const text = `<p class="t">Some words</p>`;

/** Style sheets under which `.t` is too faint, and in which way of looking at it. */
const faint: [name: string, css: string, main?: string][] = [
  ["plain", ".t{color:#aaa}"],
  ["inherited", "main{color:#aaa}"],
  ["custom properties", ":root{--muted:#aaa}.t{color:var(--none,var(--muted))}"],
  ["a property of a property", ":root{--a:var(--b);--b:#aaa}.t{color:var(--a)}"],
  [
    "dark only",
    ":root{color-scheme:light dark}html{background:light-dark(#fff,#111);color:light-dark(#222,#eee)}a{color:inherit}.t{color:light-dark(#222,#333)}",
  ],
  [
    "dark by media",
    "@media (prefers-color-scheme:dark){html{background:#111;color:#eee}a{color:#eee}.t{color:#333}}",
  ],
  ["narrow only", "@media (width<=560px){.t{color:#aaa}}"],
  ["wide only", "@media screen and (min-width:60em){.t{color:#aaa}}"],
  ["a later layer", "@layer a,b;@layer b{.t{color:#aaa}}@layer a{.t.t.t{color:#222}}"],
  ["important in an earlier layer", "@layer a{.t{color:#aaa!important}}.t{color:#222!important}"],
  ["specificity", "p.t{color:#aaa}.t{color:#222}"],
  [":is and :where", ":is(p,#x).t{color:#aaa}:where(.t){color:#222}main p{color:#222}"],
  ["nesting", "main{& .t{color:#aaa}}"],
  ["oklch", ".t{color:oklch(75% 0.02 250)}"],
  ["color-mix", ".t{color:color-mix(in oklab, #222 30%, white)}"],
  ["alpha", ".t{color:rgb(0 0 0 / .4)}"],
  ["opacity", ".t{opacity:.4}"],
  ["an own ground", ".t{background:#777}"],
  [
    "a translucent ground over a dark one",
    "main{background:#000;color:#fff}.t{background:rgb(255 255 255/.6)}",
  ],
  ["large but not enough", ".t{color:#aaa;font:700 2rem/1.2 serif}"],
  ["almost large", ".t{color:#808080;font-size:calc(1rem + 2px)}"],
  ["bold but small", ".t{color:#808080;font-weight:bold}"],
  ["clamped by the window", ".t{color:#808080;font-size:clamp(1rem, 5vw, 3rem)}"],
  ["a style attribute", "", `<p style="color:#aaa">Some words</p>`],
  [
    "links as the browser has them",
    "a{color:revert-layer}nav{display:none}main{background:#333;color:#fff}",
    `<p style="color:#777">Some words</p>`,
  ],
];

test.each(faint)("finds low contrast: %s", async (_, css, main = text) => {
  const report = await computedPage(base + css, main);
  expect(report.notChecked).toBeNull();
  expect(report.lowContrast.map((found) => found.text)).toContain("Some words");
});

/** Where nothing is faint, or nobody can tell. */
const good: [name: string, css: string, main?: string][] = [
  ["hover", ".t:hover,.t:focus-visible,.t:not(:hover):active{color:#eee}"],
  ["print", "@media print{.t{color:#eee}}"],
  ["a picture behind", ".t{color:#fff;background-image:url(/x.png)}"],
  ["a gradient further out", "main{background:linear-gradient(#000,#333)}.t{color:#fff}"],
  ["taken out of the flow", ".t{color:#fff;position:absolute}"],
  [
    "a picture laid below",
    "main{position:relative}img{position:absolute;inset:0}.t{color:#fff}",
    `<img src="/x.png" alt="">${text}`,
  ],
  [
    "a ground generated below",
    "main{position:relative}main::before{content:'';position:absolute;inset:0;background:#000;z-index:-1}.t{color:#fff}",
  ],
  [
    "in the same cell",
    "main{display:grid}main>*{grid-area:1/1}.t{color:#fff}",
    `<img src="/x.png" alt="">${text}`,
  ],
  ["an unknown condition", "@container (width > 10px){.t{color:#eee}}"],
  ["an unknown function", ".t{color:attr(data-c type(<color>), #eee)}"],
  ["not shown", ".t{color:#eee;display:none}"],
  ["cut away", ".t{color:#eee;position:absolute;clip-path:inset(50%)}"],
  [
    "a disabled control",
    "",
    `<button disabled style="color:#ccc;background:#fff">Some words</button>`,
  ],
  ["large", ".t{color:#8a8a8a;font-size:1.5rem}"],
  ["bold and almost large", ".t{color:#8a8a8a;font:700 1.2rem serif}"],
  ["the shadow of letters", ".t{color:#fff;text-shadow:0 0 3px #000}"],
  ["cut to the letters", ".t{background:#eee;background-clip:text;color:transparent}"],
  ["an invalid value", ".t{color:#222;color:nonsense(1)}"],
  ["an unknown state", ".t:state(x){color:#eee}"],
];

test.each(good)("reports nothing that is fine or unknown: %s", async (_, css, main = text) => {
  const report = await computedPage(base + css, main);
  expect(report.lowContrast.map((found) => found.text)).toEqual([]);
});

test("the ratio, the colors, and the viewing are reported", async () => {
  const { lowContrast: found } = await computedPage(
    `${base}@media (prefers-color-scheme:dark){.t{color:#999}}`,
    text,
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.ratio).toBeCloseTo(2.85, 2);
  expect(found[0]).toMatchObject({ needed: 4.5, front: { r: 153 }, viewing: { scheme: "dark" } });
});

test("a sheet with imports leaves the result open, and hostile ones take no time", async () => {
  const imported = await computedPage(`@import "x.css";${base}.t{color:#eee}`, text);
  expect(imported).toMatchObject({ lowContrast: [], notChecked: "it imports another style sheet" });
  const laughs = Array.from({ length: 40 }, (_, i) => `--l${i + 1}:var(--l${i}) var(--l${i})`);
  const bomb = await computedPage(
    `${base}:root{--l0:#222;${laughs.join(";")}}.t{color:var(--l40)}`,
    text,
  );
  expect(bomb.lowContrast).toEqual([]);
  const deep = `${"@media all{".repeat(5000)}.t{color:red}${"}".repeat(5000)}`;
  expect((await computedPage(base + deep, text)).notChecked).not.toBeNull();
  const selector = `${":not(".repeat(200)}p${")".repeat(200)}`;
  await computedPage(`${base}${selector}{color:#222}${"p ".repeat(2000)}{color:#aaa}`, text);
  const many = Array.from({ length: 4000 }, (_, i) => `div p:nth-child(${i}n){color:#222}`);
  const costly = await computedPage(
    base + many.join(""),
    `<div>${"<p>Words</p>".repeat(2000)}</div>`,
  );
  expect(costly.notChecked).toBe("its style sheets ask for too much");
});
