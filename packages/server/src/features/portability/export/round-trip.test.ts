import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectSchema, type ProjectFields } from "../../projects/project.ts";
import { fieldsOf } from "../import/plan.ts";
import type { Folder } from "../folder/folder.ts";
import { makeResolver } from "../folder/resolve.ts";
import { readText } from "../folder/text-file.ts";
import { readStudy } from "../study/study.ts";
import { fileNames } from "./file-names.ts";
import { readmeText } from "./readme.ts";
import { writeStudy } from "./study-file.ts";

const srcs = [
  "/media/2026/0123456789ab-a.webp",
  "/media/2025/ba9876543210-a.webp",
  "/media/2026/0123456789ab-film.mp4",
];

/** Text of all kinds: YAML's own signs, other scripts, halves of surrogate pairs. */
const words = (max: number, least = 0) =>
  fc.oneof(
    fc.string({ unit: "binary", minLength: least, maxLength: max }),
    fc.string({ minLength: least, maxLength: max }),
    fc.constantFrom(
      "null",
      "yes",
      "2024",
      "0x1f",
      "1e3",
      "- a",
      "a: b",
      "#x",
      "'",
      '"',
      "---",
      "é",
    ),
  );

const body = fc.oneof(
  words(200),
  fc
    .array(
      fc.constantFrom(
        `![A picture](${srcs[0]} "Caption")`,
        `see [it](${srcs[1]}) and ![](${srcs[1]})`,
        `[![x](${srcs[0]})](${srcs[1]})`,
        `![by name][n]\n\n[n]: ${srcs[0]}`,
        `\`![code](${srcs[0]})\``,
        "![gone](./gone.png)",
        "![out](../../etc/passwd)",
        "# Heading",
        "---\ntitle: no\n---",
        "<img src=x>",
        "{{< shortcode >}}",
        "- list\n  - deeper ![x](/media/2026/0123456789ab-a.webp)",
        "> quote",
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join("\n\n")),
);

const project = fc
  .record({
    slug: fc.constantFrom("one", "a-2", "2024"),
    name: words(30, 1),
    status: fc.constantFrom("draft", "published", "archived"),
    audience: fc.constantFrom("everyone", "members", "invited"),
    summary: words(60),
    lede: words(80),
    body,
    kind: words(20),
    period: words(20),
    role: words(30),
    categories: fc.array(words(12, 1), { maxLength: 3 }),
    stack: fc.array(words(12, 1), { maxLength: 3 }),
    skills: fc.array(
      fc.record({ group: words(12, 1), items: fc.array(words(12, 1), { maxLength: 3 }) }),
      { maxLength: 2 },
    ),
    metrics: fc.array(
      fc.record(
        { value: words(8, 1), label: words(12, 1), note: words(20) },
        { requiredKeys: ["value", "label"] },
      ),
      { maxLength: 2 },
    ),
    gallery: fc.array(
      fc.record(
        { src: fc.constantFrom(...srcs), caption: words(30), alt: words(30) },
        { requiredKeys: ["src", "caption"] },
      ),
      { maxLength: 4 },
    ),
    reelUrl: fc.constantFrom(null, "https://www.instagram.com/reel/abc_1/"),
    brief: words(60),
    position: fc.nat(100),
  })
  .map((fields) => projectSchema.safeParse(fields))
  .filter(({ success }) => success)
  .map(({ data }) => data as ProjectFields);

const mediaAlt = "What the file shows";

/** Writes a project as an export does and reads it as an import does, all its files being stored. */
const moments = { createdAt: "2024-02-29T01:02:03.004Z", updatedAt: "2025-01-01T00:00:00.000Z" };
const aliases = ["an-old-one", "2019"];

function goRound(fields: ProjectFields) {
  const names = fileNames(srcs);
  const files = new Map(Array.from(names, ([src, name]) => [src, { name, alt: mediaAlt }]));
  const text = writeStudy({ ...fields, ...moments, aliases }, files);
  const folder: Folder = {
    root: "/x",
    files: new Map([...names.values()].map((name) => [`projects/one/${name}`, 1])),
    others: new Set(),
  };
  const resolve = makeResolver(folder);
  const read = readText(Buffer.from(text));
  if ("fault" in read) throw new Error(read.fault);
  const file = {
    path: "projects/one/index.md",
    stem: "one",
    date: null,
    doubt: null,
    isEntry: false,
    isDraft: false,
    bundle: null,
    sections: [],
  };
  const { study, problems } = readStudy(file, read.text, (at) => resolve(at, "projects/one"));
  const srcOf = new Map(Array.from(names, ([src, name]) => [`projects/one/${name}`, src]));
  return {
    text,
    problems,
    slug: study?.slug,
    order: study?.order,
    aliases: study?.aliases,
    times: { createdAt: study?.created, updatedAt: study?.updated },
    fields: study && fieldsOf(study, null, (path) => ({ src: srcOf.get(path) ?? path, alt: "" })),
  };
}

function expected({ slug: _slug, position: _position, gallery, ...fields }: ProjectFields) {
  return { ...fields, gallery: gallery.map((item) => ({ ...item, alt: item.alt ?? mediaAlt })) };
}

test("an export says what it doesn't contain and where that is kept", () => {
  const text = readmeText({ projects: 1, media: 2, changes: 3 });
  expect(text).toMatch(/Not included: messages, members/);
  expect(text).toContain("vitrine backup");
});

describe("a project that is exported and imported", () => {
  test("is the same, whatever it contains", () => {
    fc.assert(
      fc.property(project, (fields) => {
        const round = goRound(fields);
        expect(round.problems).toEqual([]);
        expect(round.fields).toEqual(expected(fields));
        expect([round.aliases, round.times]).toEqual([aliases, moments]);
        expect([round.slug, round.order]).toEqual([fields.slug, fields.position]);
      }),
      { numRuns: 300 },
    );
  });

  test("shows the images in its text as files next to it", () => {
    const fields = projectSchema.parse({
      slug: "one",
      name: "One",
      status: "published",
      position: 0,
      body: `![A](${srcs[1]})\n\n\`${srcs[1]}\``,
      gallery: [{ src: srcs[0] }],
    });
    const { text } = goRound(fields);
    expect(text).toContain(`![A](./a-2.webp)\n\n\`${srcs[1]}\``);
    expect(text).toContain("src: ./a.webp");
  });
});
