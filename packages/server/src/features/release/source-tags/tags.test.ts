import { createHash } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { exists } from "../../../platform/files.ts";
import { loadCompiler } from "./compiler.ts";
import { insertTags } from "./insert.ts";
import { stripTags } from "./strip.ts";
import { tagSource } from "./tag-astro.ts";
import {
  keepTagFile,
  makeTagFileWriter,
  pageKey,
  readPageTags,
  tagFileName,
  tagFileOf,
} from "./tag-file.ts";

const name = "v0123456789abcdef";
const file = "app/src/pages/index.astro";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("taking tags out", () => {
  test("gives the page as it was, with places in bytes", () => {
    const page = `<p ${name}="3" title="é 😀">a</p><b ${name}="12">é</b>`;
    const stripped = stripTags(Buffer.from(page), name);
    expect(stripped?.clean.toString()).toBe('<p title="é 😀">a</p><b>é</b>');
    expect(stripped?.marks).toEqual([2, 3, 24, 12]);
  });

  test("leaves a page without tags as it is", () => {
    const page = '<p v0123="1" data-source="app/src/x.astro:1:1">é</p>';
    expect(stripTags(Buffer.from(page), name)).toEqual({ clean: Buffer.from(page), marks: [] });
  });

  test.each([
    `<pre>&lt;p ${name}=&quot;1&quot;&gt;</pre>`,
    `<p ${name}="">x</p>`,
    `<p ${name}="1x">x</p>`,
    `<p ${name}="123456789">x</p>`,
    `<p ${name}>x</p>`,
    `<p ${name}="1`,
    `{"html":"<p ${name}=\\"1\\">"}`,
  ])("is given up where page code made something of one: %s", (page) => {
    expect(stripTags(Buffer.from(page), name)).toBeUndefined();
  });
});

describe("putting tags on", () => {
  test.each([
    ["a frontmatter that is no program", "---\nconst = ;\n---\n<p>x</p>"],
    ["no elements", "---\nconst a = 1;\n---\n{a}"],
    ["the name itself", `<p>${name}</p>`],
  ])("is left with %s", async (_, source) => {
    expect(await tagSource(await loadCompiler(), source, name)).toBeUndefined();
  });

  test("keeps lines and counts places from 1", async () => {
    const source = '---\nconst a = "<p>";\n---\n\n<p\n  class="x">😀 <b>{a}</b></p>\n';
    const tagged = await tagSource(await loadCompiler(), source, name);
    expect(tagged?.places).toEqual([
      { line: 5, column: 1 },
      { line: 6, column: 16 },
    ]);
    const text = tagged?.write(7) ?? "";
    expect(text).toBe(source.replace("<p\n", `<p ${name}="7"\n`).replace("<b>", `<b ${name}="8">`));
  });
});

describe("the tag file", () => {
  let folder: TempFolder;
  let out: string;
  let dir: string;
  beforeEach(async () => {
    folder = await tempFolder();
    out = join(folder.path, "out");
    dir = join(folder.path, "artifact");
    await mkdir(out);
  });
  afterEach(() => folder.remove());

  const page = "<main><p>x</p></main>";

  test("says of a page, known by its content, where its elements are from", async () => {
    const writer = makeTagFileWriter();
    expect(writer.addFile("app/src/layouts/Page.astro", [{ line: 1, column: 2 }])).toBe(0);
    expect(writer.addFile(file, [{ line: 3, column: 4 }])).toBe(1);
    writer.addPage(Buffer.from(page), [5, 0, 3, 1]);
    await writeFile(join(out, tagFileName), writer.text());
    await keepTagFile(out, dir);
    const tags = await readPageTags(dir, sha256(page));
    expect(insertTags(Buffer.from(page), tags)).toBe(
      `<main data-source="app/src/layouts/Page.astro:1:2"><p data-source="${file}:3:4">x</p></main>`,
    );
    expect(await readPageTags(dir, sha256("another"))).toEqual([]);
    expect(await readPageTags(join(folder.path, "none"), sha256(page))).toEqual([]);
  });

  test("of a build without one takes away the one before", async () => {
    await writeFile(tagFileOf(dir), "old");
    await keepTagFile(out, dir);
    expect(await exists(tagFileOf(dir))).toBe(false);
  });

  test("that is a link, out of the sandbox, is not followed", async () => {
    await writeFile(join(folder.path, "secret"), "secret");
    await symlink(join(folder.path, "secret"), join(out, tagFileName));
    await keepTagFile(out, dir);
    expect(await exists(tagFileOf(dir))).toBe(false);
  });

  const key = pageKey(sha256(page));
  const header = JSON.stringify({ files: [file], tags: [0, 1, 1] });
  test.each([
    ["", ""],
    ["no JSON", `nonsense\n${key} 2,0\n`],
    ["a file elsewhere", `{"files":["/etc/passwd"],"tags":[0,1,1]}\n${key} 2,0\n`],
    [
      "a file that ends the attribute",
      `{"files":["app/src/\\"><b>.astro"],"tags":[0,1,1]}\n${key} 5,0\n`,
    ],
    ["tags that are no numbers", `{"files":["${file}"],"tags":[0,"1",1]}\n${key} 5,0\n`],
    ["a tag that is not there", `${header}\n${key} 5,7\n`],
    ["places that are none", `${header}\n${key} NaN,0\n`],
    ["a place in a text", `${header}\n${key} 1,0\n`],
    ["a place behind the end", `${header}\n${key} 500,0\n`],
    ["places that go back", `${header}\n${key} -5,0\n`],
  ])("a hostile one adds nothing: %s", async (_, text) => {
    await writeFile(tagFileOf(dir), text);
    const tags = await readPageTags(dir, sha256(page));
    expect(insertTags(Buffer.from(page), tags)).toBe(page);
  });
});
