import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readManifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import { pruneArtifacts } from "../../packages/server/src/features/release/artifact/prune.ts";
import {
  type Artifact,
  BuildFailed,
  type BuildJob,
  makeSiteBuilder,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import { insertTags } from "../../packages/server/src/features/release/source-tags/insert.ts";
import {
  readPageTags,
  tagFileOf,
} from "../../packages/server/src/features/release/source-tags/tag-file.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { sharedCode, withSharedCode } from "../support/builder-code.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { sampleSnapshot } from "./template-site.ts";
import { copyTemplate } from "../support/template.ts";

let folder: TempFolder;
let builder: SiteBuilder;
let turn = 0;

beforeAll(async () => {
  folder = await tempFolder();
  const at = (name: string) => join(folder.path, name);
  const opening = makeSiteBuilder({
    paths: {
      artifacts: at("artifacts"),
      builders: at("builders"),
      compiledSites: at("compiled"),
      ...sharedCode,
    },
    limits: { ...defaultLimits.build, warm: false, shareImages: 0 },
    sandbox: "auto",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  builder = await withSharedCode(opening);
});
afterAll(async () => {
  await builder.close();
  await folder.remove();
});

/** Content of the template, or only of these files. */
async function makeContent(files: Record<string, string>, template = false): Promise<string> {
  turn += 1;
  const dir = join(folder.path, `content-${turn}`);
  if (template) await copyTemplate(dir);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return dir;
}

async function build(sourceDir: string, extra: Partial<BuildJob> = {}): Promise<Artifact> {
  const mediaDir = join(sourceDir, "app/public/media");
  return builder.build({ sourceDir, mediaDir, snapshot: await sampleSnapshot(), ...extra });
}

/** The page as it would be shown with its tags, and what each tag names. */
async function tagged(artifact: Artifact, urlPath: string) {
  const { files } = await readManifest(`${artifact.dir}.json`);
  const entry = files[urlPath];
  if (entry === undefined) throw new Error(`There is no ${urlPath}.`);
  const page = await readFile(join(artifact.dir, entry.file));
  const html = insertTags(page, await readPageTags(artifact.dir, entry.hash));
  const tags = [...html.matchAll(/<([a-z0-9]+) data-source="([^":]+):(\d+):(\d+)"/g)].map(
    ([, name = "", file = "", line, column]) => {
      return { name, file, line: Number(line), column: Number(column) };
    },
  );
  return { plain: page.toString("utf8"), html, tags };
}

/** Every tag leads to an opening tag of that very name. */
async function expectRightPlaces(
  sourceDir: string,
  tags: { name: string; file: string; line: number; column: number }[],
) {
  for (const { name, file, line, column } of tags) {
    const lines = (await readFile(join(sourceDir, file), "utf8")).split("\n");
    const there = lines[line - 1]?.slice(column - 1, column + name.length);
    expect([file, line, there]).toEqual([file, line, `<${name}`]);
  }
}

const page = (body: string, code = "") =>
  `---\n${code}\n---\n<html lang="en"><head><title>T</title></head><body>${body}</body></html>\n`;

describe("source tags", () => {
  test("the template's artifact is identical byte for byte, and every page's tags are correct", async () => {
    const dir = await makeContent({}, true);
    const without = await build(dir, { tags: false });
    expect(await exists(tagFileOf(without.dir))).toBe(false);
    const artifact = await build(dir);
    expect(artifact.sha).toBe(without.sha);
    const { files } = await readManifest(`${artifact.dir}.json`);
    const pages = Object.keys(files).filter((path) => /\/$|\.html$/.test(path));
    expect(pages.length).toBeGreaterThan(10);
    for (const path of pages) {
      const { plain, html, tags } = await tagged(artifact, path);
      expect([path, tags.length > 20]).toEqual([path, true]);
      await expectRightPlaces(dir, tags);
      expect(html.replaceAll(/ data-source="[^"]*"/g, "")).toBe(plain);
    }
  });

  test("however a page is written, only its tags differ", async () => {
    const dir = await makeContent({
      "app/src/components/Card.astro":
        '<article {...Astro.props}><slot /><slot name="foot"><i>none</i></slot></article>\n<style>article { color: red; }</style>\n',
      "app/src/components/Dynamic.astro":
        '---\nconst Tag = "h2";\n---\n<Tag class="d"><slot /></Tag>',
      "app/src/lib/generic.ts": "export const max = <T,>(a: T[]): number => a.length;\n",
      "app/src/pages/index.astro": page(
        [
          '<p title="a > b" data-x=\'<b "q">\'>é 😀 &amp; &lt;b&gt; &nbsp;</p><h1>After 😀</h1>',
          "<ul>{items.map((item) => (",
          "  <li class:list={['a', item > 1 && 'b']}>{item}{item > 1 ? <em>big</em> : <small>1</small>}</li>",
          "))}</ul>",
          "{false && <u>never</u>}{/* <b> */}{'<b>text</b>'}{`<s>${1}</s>`}<!-- <b> -->",
          "<br><hr/><img src='/a.png' alt='' /><input disabled value='<p>'>",
          '<div set:html={"<p id=raw>set</p>"} /><div set:text={"<p>"} /><pre is:raw><b>{x}</b></pre>',
          "<svg viewBox='0 0 1 1'><title>t</title><path d='M0 0'/></svg>",
          "<template><p>in</p></template><my-element a='1'><p>own</p></my-element>",
          "<Card id='c'><b slot='foot'>foot</b><Fragment><q>in</q></Fragment>text</Card>",
          "<Dynamic>heading</Dynamic><p transition:name='hero'>moves</p>",
          "<table><tr><td>cell</td></tr></table>",
          "<style define:vars={{ tone: 'red' }}>p { color: var(--tone); }</style>",
          "<script>if (1<2) document.title = '<p>';</script>",
          "<script is:inline define:vars={{ items }}>window.items = items;</script>",
          "<p\n  class='split'\n>lines</p>",
        ].join("\n"),
        [
          'import Card from "../components/Card.astro";',
          'import Dynamic from "../components/Dynamic.astro";',
          "const items: number[] = [1, 2];",
          "const less = (a: number) => a < 2 && 1 > a;",
        ].join("\n"),
      ),
      "app/src/pages/lookalike.astro": page(
        `<p>v0123456789abcdef="1" data-source="app/src/x.astro:1:1"</p><p data-source="mine" v0123456789abcdef="2">x</p>`,
      ),
      "app/src/pages/note.md": "---\ntitle: Note\n---\n\n# A heading\n\nText with `code`.\n",
      "app/src/pages/empty.astro": "",
      "app/src/pages/data.json.ts":
        'export const GET = () => new Response(JSON.stringify({ html: "<p>" }));\n',
    });
    const without = await build(dir, { tags: false });
    const artifact = await build(dir);
    expect(artifact.sha).toBe(without.sha);
    const { plain, html, tags } = await tagged(artifact, "/");
    await expectRightPlaces(dir, tags);
    expect(html.replaceAll(/ data-source="[^"]*"/g, "")).toBe(plain);
    const names = new Set(tags.map(({ name }) => name));
    const all = "article b body div em h1 hr i img input li p pre q small svg table td tr ul";
    expect([...names].toSorted().join(" ")).toBe(all.replace(" i ", " "));
    expect(tags.filter(({ name }) => name === "li")).toHaveLength(2);
    expect((await tagged(artifact, "/lookalike/")).tags.map(({ name }) => name)).toContain("p");
    expect((await tagged(artifact, "/note/")).tags).toEqual([]);
  });

  test.each([
    ["reads a slot", '<Fragment set:html={(await Astro.slots.render("default")).length} />'],
    ["hands itself on", "{void Object.assign(globalThis, { slot: Astro.slots })}<slot />"],
  ])("a page whose code %s is built as without tags", async (_, inner) => {
    const dir = await makeContent({
      "app/src/components/Reader.astro": inner,
      "app/src/pages/index.astro": page(
        "<Reader><p>abc</p></Reader>{text}",
        'import Reader from "../components/Reader.astro";\nconst text = String(globalThis.slot ?? "");',
      ),
    });
    const without = await build(dir, { tags: false });
    expect((await build(dir)).sha).toBe(without.sha);
  });

  test("page code that uses a tag turns off the tags and doesn't fail the build", async () => {
    const dir = await makeContent({
      "app/src/components/Reader.astro":
        '---\nconst { ["slots"]: s } = Astro;\nconst read = "ren" + "der";\nconst html = await s[read]("default");\n---\n<pre set:text={html} />',
      "app/src/pages/index.astro": page(
        "<Reader><p>abc</p></Reader>",
        'import Reader from "../components/Reader.astro";',
      ),
    });
    const without = await build(dir, { tags: false });
    const artifact = await build(dir);
    expect(artifact.sha).toBe(without.sha);
    expect(await exists(tagFileOf(artifact.dir))).toBe(false);
  });

  test("errors name the line and column of the source, and an unreadable file fails as usual", async () => {
    const broken = page("<p>a</p><p>{oops(</p>");
    const dir = await makeContent({ "app/src/pages/index.astro": broken });
    const errorsOf = (job: Partial<BuildJob>) =>
      build(dir, job).then(
        () => [],
        (error: unknown) => (error instanceof BuildFailed ? error.errors : [String(error)]),
      );
    const errors = await errorsOf({});
    expect(errors[0]).toMatch(/^app\/src\/pages\/index\.astro:4:/);
    expect(errors).toEqual(await errorsOf({ tags: false }));
  });

  test("tags belong to the last build of the same bytes and are deleted with the artifact", async () => {
    const body = "<p>same</p>";
    const dir = await makeContent({ "app/src/pages/index.astro": page(body) });
    const first = await build(dir);
    expect((await tagged(first, "/")).tags.at(-1)?.line).toBe(4);
    await writeFile(join(dir, "app/src/pages/index.astro"), page(body, "// one\n// two"));
    const second = await build(dir);
    expect(second.sha).toBe(first.sha);
    expect((await tagged(second, "/")).tags.at(-1)?.line).toBe(5);
    const artifacts = dirname(first.dir);
    await pruneArtifacts(artifacts, { keep: 0, inUse: new Set(), nowMs: Date.now() });
    expect(await exists(tagFileOf(first.dir))).toBe(false);
  });
});
