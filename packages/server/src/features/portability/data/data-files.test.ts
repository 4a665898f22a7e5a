import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { readSource } from "../import/source.ts";
import { joinBody } from "../study/body.ts";
import { readModuleValues } from "./js-literal.ts";

let temp: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

/** What an import of these files takes. */
async function read(files: Record<string, string>) {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(join(temp.path, path, ".."), { recursive: true });
    await writeFile(join(temp.path, path), data);
  }
  const { studies, skipped, problems } = await readSource(temp.path);
  return {
    studies,
    problems,
    sure: studies.filter(({ doubt }) => doubt === null).map(({ file }) => file),
    doubts: Object.fromEntries(
      studies.flatMap(({ file, doubt }) => (doubt === null ? [] : [[file, doubt]])),
    ),
    left: Object.fromEntries(skipped.map(({ file, reason }) => [file, reason])),
    images: studies.map(({ gallery }) => (gallery ?? []).map(({ path }) => path)),
    body: (index: number) => joinBody(studies[index]?.body ?? [], (path) => path),
  };
}

describe("projects in data files", () => {
  test("a list in TypeScript, with types, imported images, and computed values", async () => {
    const found = await read({
      "astro.config.mjs": "export default {};",
      "src/data/projects.ts": `
import type { Project } from "../types";
import cover from "../assets/boats.png";
const year = 2024; // the last one
export const projects: Array<Project & { on?: () => void }> = [
  { title: 'Boat\\'s log', slug: "boats", description: "A log " + \`for boats\`, image: cover,
    imageAlt: "A log", year, madeWith: ["Go", "SQL",], icon: <Icon name="x" />, on: () => { return [1]; },
    links: [{ type: "live", url: "https://boats.example/", label: "Open" }],
    caseStudy: { problem: "Nobody wrote it down.", solution: "Now everybody does." } },
  /* one more */
  { title: "Kites", description: make("x"), image: require("../assets/kites.png").default } as Project,
  ...others,
].sort((a, b) => b.year - a.year);
`,
      "src/data/skills.ts": 'export const skills = [{ name: "Go", description: "A language" }];',
      "src/components/projects.tsx": 'export const projects = [{ title: "X", summary: "Y" }];',
      "src/assets/boats.png": "image",
      "src/assets/kites.png": "image",
    });
    expect(found.sure).toEqual(["src/data/projects.ts#boats", "src/data/projects.ts#kites"]);
    expect(found.doubts).toEqual({});
    expect(found.images).toEqual([["src/assets/boats.png"], ["src/assets/kites.png"]]);
    expect(found.studies[0]).toMatchObject({
      slug: "boats",
      fields: {
        name: "Boat's log",
        summary: "A log for boats",
        period: "2024",
        stack: ["Go", "SQL"],
      },
      gallery: [{ alt: "A log" }],
    });
    expect(found.body(0)).toBe(
      "## Problem\n\nNobody wrote it down.\n\n## Solution\n\nNow everybody does.\n\n[Open](https://boats.example/)",
    );
  });

  test.each([
    ["_data/portfolio.yml", "- title: Boats\n  info: A log\n- title: Kites\n  info: Wind\n"],
    [
      "data/projects.toml",
      '[[projects]]\ntitle = "Boats"\ninfo = "A log"\n[[projects]]\ntitle = "Kites"\ninfo = "Wind"\n',
    ],
    [
      "src/_data/work.json",
      '{"boats": {"title": "Boats", "info": "A log"}, "kites": {"title": "Kites", "info": "Wind"}}',
    ],
    [
      "data/site.json",
      '{"name": "Me", "projects": [{"title": "Boats", "info": "A log"}, {"title": "Kites", "info": "Wind"}]}',
    ],
    [
      "src/projectsData.js",
      'module.exports = [{ title: "Boats", info: "A log" }, { title: "Kites", info: "Wind" }]',
    ],
  ])("%s", async (path, text) => {
    const found = await read({ [path]: text });
    expect(found.sure.toSorted()).toEqual([`${path}#boats`, `${path}#kites`]);
    expect(found.studies.map(({ fields }) => fields.summary).toSorted()).toEqual(["A log", "Wind"]);
  });

  test("a list next to texts: the same project is imported once, others are proposed", async () => {
    const found = await read({
      "_config.yml": "title: x",
      "_projects/boats.md": "---\ntitle: Boats\n---\n\nThe whole story.\n",
      "_data/projects.yml":
        "- title: Boats\n  description: In short\n- title: Kites\n  description: Wind\n",
    });
    expect(found.sure).toEqual(["_projects/boats.md"]);
    expect(found.left["_data/projects.yml#boats"]).toBe("is a short version of _projects/boats.md");
    expect(found.doubts).toEqual({
      "_data/projects.yml#kites": "it is only in a list, while other projects have their own files",
    });
  });

  test("entries without a text, defaults of a folder, and lists of other things", async () => {
    const found = await read({
      "eleventy.config.js": "export default {};",
      "src/projects/projects.json": '{"tags": "project", "layout": "x"}',
      "src/projects/boats.json": '{"title": "Boats", "cover": "boats.png"}',
      "src/projects/boats.png": "image",
      "src/posts/hello.md": "---\ntitle: Hello\n---\n\nA post.\n",
      "src/_data/shows.json": '[{"title": "Lear", "description": "With rain"}]',
      "src/_data/menu.json": '[{"title": "Home", "url": "/"}]',
      "src/_data/broken.json": "{",
    });
    expect(found.sure).toEqual(["src/projects/boats.json"]);
    const boats = found.studies.find(({ slug }) => slug === "boats");
    expect(boats?.gallery?.map(({ path }) => path)).toEqual(["src/projects/boats.png"]);
    expect(Object.keys(found.doubts).toSorted()).toEqual([
      "src/_data/shows.json#lear",
      "src/posts/hello.md",
    ]);
  });

  test("an image with a project's name belongs to it unless another project shows it", async () => {
    const found = await read({
      "data/projects.json":
        '[{"title": "Boats in spring", "id": "boats", "description": "A"}, {"title": "Kites", "description": "B"}, {"title": "Wind", "description": "C", "image": "kites.png"}]',
      "static/boats.png": "image",
      "static/kites.png": "image",
    });
    const byFile = Object.fromEntries(
      found.studies.map(({ slug, gallery }) => [slug, (gallery ?? []).map(({ path }) => path)]),
    );
    expect(byFile).toEqual({
      "boats-in-spring": ["static/boats.png"],
      kites: [],
      wind: ["static/kites.png"],
    });
  });

  test("one of several languages", async () => {
    const list = (word: string) => `[{"title": "${word}", "description": "x y"}]`;
    const found = await read({
      "hugo.toml": 'defaultContentLanguage = "fr"\n',
      "data/en/projects.json": list("Boats"),
      "data/fr/projects.json": list("Bateaux"),
    });
    expect(found.sure).toEqual(["data/fr/projects.json#bateaux"]);
  });
});

test("a module's values are read and its code never runs, whatever it contains", () => {
  const valuesOf = (source: string) => Object.fromEntries(readModuleValues(source));
  expect(
    valuesOf(
      'export default { __proto__: { a: 1 }, b: [1, -2.5, true, null], "c d": "e\\u{1F600}" }',
    ),
  ).toEqual({
    default: Object.fromEntries([
      ["__proto__", { a: 1 }],
      ["b", [1, -2.5, true, null]],
      ["c d", "e\u{1F600}"],
    ]),
  });
  expect(
    valuesOf(
      "const a = process.exit(1);\nexport const b = [() => { throw 1; }, `${a}`, a ? 1 : 2, 'x'];",
    ),
  ).toEqual({
    b: ["x"],
  });
  const deep = "[".repeat(5000);
  const sources = [
    deep,
    "const a = `",
    'const a = "',
    "const a = [{ b: ",
    "const a: {",
    "exports.x = (",
    "/*",
  ];
  for (const source of sources) expect(() => valuesOf(source)).not.toThrow();
});
