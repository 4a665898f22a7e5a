import site from "../content/site.json";
import theme from "../styles/theme.css?raw";
import { themeSelectors } from "./theme.ts";
import { PdfWriter, type Style } from "./pdf-document.ts";
import { joinColumns, page, type Row, space } from "./pdf-rows.ts";
import { sourceName } from "./resume-source.ts";
import { basics, groupedSections, type ResumeItem, sections } from "./resume.ts";

/** The résumé on A4, set in the fonts of the site. */

/** A value of theme.css in the site's look; of a pair of colors the one for light ground. */
function ofTheme(name: string): string {
  const rules = [...theme.matchAll(/([^{}]+)\{([^{}]*)\}/g)];
  const find = (selector: string): string | undefined => {
    const rule = rules.find(([, list = ""]) => list.trim().endsWith(selector));
    return new RegExp(`--${name}:\\s*([^;]+);`).exec(rule?.[2] ?? "")?.[1];
  };
  const value =
    themeSelectors
      .toReversed()
      .map(find)
      .find((found) => found !== undefined) ?? "";
  return /^light-dark\(\s*([^,]+),/.exec(value)?.[1] ?? value;
}

/** Only plain colors can be drawn; what an owner has written otherwise is drawn as in the first look. */
function colorOf(name: string, otherwise: string): string {
  const value = ofTheme(name);
  return /^#[0-9a-f]{6}$/i.test(value) ? value : otherwise;
}

const ink = colorOf("text", "#15181c");
const muted = colorOf("muted", "#4a5059");
const accent = colorOf("accent", "#2440d8");
const line = colorOf("line", "#d9dbd4");

const styles = {
  name: { font: "display", size: 30, leading: 35, color: ink },
  label: { font: "text", size: 11.5, leading: 17, color: muted },
  contact: { font: "strong", size: 9.5, leading: 14, color: accent },
  summary: { font: "text", size: 11.5, leading: 17, color: ink },
  section: { font: "display", size: 14, leading: 19, color: ink },
  heading: { font: "strong", size: 10.5, leading: 14.5, color: ink },
  text: { font: "text", size: 9.75, leading: 13.75, color: ink },
  aside: { font: "text", size: 8.75, leading: 14.5, color: muted },
  foot: { font: "text", size: 8, leading: 11, color: muted },
} as const satisfies Record<string, Style>;

const whole = { x: page.left, width: page.width - page.left - page.right };
const rail = { x: page.left, width: 104 };
const main = { x: page.left + 124, width: whole.width - 124 };

/**
 * The file's bytes, the same for the same input.
 * @param base Where the site is, for the links to its pages.
 * @param source What the file is made of (lib/resume-source.ts); it is noted in it.
 */
export async function resumePdf(base: URL, source: string): Promise<Buffer> {
  const paper = new PdfWriter({
    title: `${basics.name}: résumé`,
    author: basics.name,
    subject: basics.label,
    language: site.language,
    letters: /newsreader/i.test(ofTheme("font-text")) ? "serif" : "sans",
    date: newestYear(),
    entries: { [sourceName]: source },
  });
  const rows = [
    ...heading(paper, base),
    ...sections.flatMap(({ heading: title, items }) => {
      return section(paper, title, () => items.flatMap((item) => entry(paper, item, base)));
    }),
    ...groupedSections.flatMap(({ heading: title, groups }) => {
      return section(paper, title, () => {
        return groups.flatMap(({ group, items }) => [
          ...joinColumns(
            paper.text("H3", group, { ...styles.text, font: "strong" }, rail),
            paper.text("P", items.join(", "), styles.text, main),
            "left",
          ),
          space(3),
        ]);
      });
    }),
  ];
  return await paper.finish(rows, {
    style: styles.foot,
    text: (number, count) => (count > 1 ? `${basics.name} · ${number} / ${count}` : basics.name),
  });
}

/**
 * The year of the newest entry: the file is of another date only where it shows something else, so it
 * isn't set again because of anything else on the site.
 */
function newestYear(): Date {
  const whens = sections.flatMap(({ items }) => items.map(({ when }) => when));
  const years = whens.flatMap((when) => when.match(/\b(?:19|20)\d\d\b/g) ?? []);
  return new Date(
    `${years.reduce((newest, year) => (year > newest ? year : newest), "2000")}-01-01`,
  );
}

function heading(paper: PdfWriter, base: URL): Row[] {
  const address = new URL("/", base);
  const links = [
    ...(basics.email ? [{ text: basics.email, href: `mailto:${basics.email}` }] : []),
    { text: address.host, href: address.href },
    ...basics.profiles.map(({ text, url }) => ({ text, href: url })),
  ];
  const label = [basics.label, basics.place].filter(Boolean).join(" · ");
  return [
    ...paper.text("H1", basics.name, styles.name, { ...whole, outline: 1 }),
    space(2),
    ...paper.text("P", label, styles.label, whole),
    space(12),
    ...joinColumns(
      links.flatMap(({ text, href }) => {
        const color = href ? accent : ink;
        return paper.text("P", text, { ...styles.contact, color }, { ...rail, href });
      }),
      paper.text("P", basics.summary, styles.summary, main),
      "left",
    ),
  ];
}

function section(paper: PdfWriter, title: string, make: () => Row[]): Row[] {
  return [
    space(16),
    ...paper.within("Sect", () => [
      paper.rule(9, line),
      ...paper.text("H2", title, styles.section, { ...whole, outline: 2, keep: true }),
      space(6, true),
      ...make(),
    ]),
  ];
}

function entry(paper: PdfWriter, item: ResumeItem, base: URL): Row[] {
  const href = item.href ? new URL(item.href, base).href : undefined;
  const aside = [item.when, item.where].filter(Boolean);
  const keep = item.text !== "" || item.points.length > 0;
  return [
    ...paper.within("Sect", () =>
      joinColumns(
        aside.flatMap((text) => paper.text("P", text, styles.aside, rail)),
        [
          ...paper.text("H3", item.heading, styles.heading, { ...main, href, keep }),
          ...paper.text("P", item.text, styles.text, main),
          ...(item.points.length > 0 ? points(paper, item.points) : []),
        ],
        "right",
      ),
    ),
    space(9),
  ];
}

function points(paper: PdfWriter, list: string[]): Row[] {
  const inner = { x: main.x + 11, width: main.width - 11 };
  return paper.within("L", () =>
    list.flatMap((point) =>
      paper.within("LI", () => {
        const label = paper.text("Lbl", "•", { ...styles.text, color: accent }, main);
        return joinColumns(label, paper.text("LBody", point, styles.text, inner), "left");
      }),
    ),
  );
}
