import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { observed, type QaApp, useQaApp } from "../../../../../../test/support/qa-app.ts";
import { manifestOf, writeSite } from "../../../../../../test/support/built-site.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { testWorkers } from "../../../../../../test/support/workers.ts";
import type { Task } from "../../tasks/schema.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { readRelease } from "../../release/site/live-release.ts";
import { makeTagFileWriter, tagFileOf } from "../../release/source-tags/tag-file.ts";
import { makeAssess } from "./assess.ts";
import { makeGroupBySource } from "./group-by-source.ts";

let app: QaApp;
useQaApp("sqlite", (made) => (app = made));

let folder: TempFolder;
beforeEach(async () => (folder = await tempFolder()));
afterEach(() => folder.remove());

const card = "app/src/components/Card.astro";

/** A page whose elements are written at these lines of the source, in their order. */
interface TaggedPage {
  html: string;
  /** Of each opening tag: the file, and the line where it is written. */
  tags: readonly (readonly [tag: string, file: string, line: number])[];
}

/** Has pages live, and what runs find grouped by the sources that they were built from. */
async function publish(
  pages: Record<string, TaggedPage>,
  sources: Record<string, string>,
): Promise<void> {
  const dir = join(folder.path, "release");
  const contentDir = join(folder.path, "content");
  await mkdir(contentDir, { recursive: true });
  for (const [file, text] of Object.entries(sources)) {
    await mkdir(dirname(join(contentDir, file)), { recursive: true });
    await writeFile(join(contentDir, file), text);
  }
  const files = Object.fromEntries(
    Object.entries(pages).map(([path, { html }]) => [`${path.slice(1)}index.html`, html]),
  );
  const all = { "index.html": "<p>Home</p>", ...files };
  await writeSite(dir, all);
  const manifest = manifestOf(all);
  await writeFile(`${dir}.json`, JSON.stringify(manifest));
  const writer = makeTagFileWriter();
  for (const [path, { html, tags }] of Object.entries(pages)) {
    const marks: number[] = [];
    let last = 0;
    for (const [tag, file, line] of tags) {
      const column = (sources[file]?.split("\n")[line - 1]?.indexOf("<") ?? 0) + 1;
      const end = html.indexOf(tag, last) + (/^<\w+/.exec(tag)?.[0].length ?? 0);
      marks.push(
        Buffer.byteLength(html.slice(last, end)),
        writer.addFile(file, [{ line, column }]),
      );
      last = end;
    }
    writer.addPage(Buffer.from(html), marks);
    expect(createHash("sha256").update(html).digest("hex")).toBe(manifest.files[path]?.hash);
  }
  await writeFile(tagFileOf(dir), writer.text());
  const deps = {
    db: app.db,
    workers: testWorkers,
    releases: { current: () => readRelease(dir) },
    contentDir,
    limits: defaultLimits.workspace,
  };
  app.assess = makeAssess(deps);
  app.groupBySource = makeGroupBySource(deps);
}

const image = (src: string) => `<a class="card"><img src="${src}"></a>`;

/** A page of cards, each with an image from line 3 of the card. */
const cards = (...sources: string[]): TaggedPage => ({
  html: `<main>${sources.map(image).join("")}</main>`,
  tags: sources.map((src) => [`<img src="${src}"`, card, 3] as const),
});

const missing = (page: string, src: string) =>
  observed("img.alt-missing", page, {
    target: src,
    safe: true,
    evidence: { src },
    location: { selector: "main a.card img", line: 1, text: "" },
  });

const plainCard = { [card]: `---\n---\n<a class="card"><img src={cover} /></a>\n` };
/** The same with the image's tag at its own position. */
const cardSource = { [card]: `---\n---\n<img src={cover} />\n` };

async function seeCards(): Promise<void> {
  await publish({ "/work/": cards("/a.png", "/b.png"), "/about/": cards("/c.png") }, cardSource);
  await app.see([missing("/work/", "/a.png"), missing("/work/", "/b.png")]);
}

describe("images that a component shows without alt text", () => {
  test("are one finding, which names the file and counts its places", async () => {
    await publish({ "/work/": cards("/a.png", "/b.png"), "/about/": cards("/c.png") }, cardSource);
    await app.see([
      missing("/work/", "/a.png"),
      missing("/work/", "/b.png"),
      missing("/about/", "/c.png"),
    ]);
    const found = await app.finding();
    expect(found).toMatchObject({
      check: "img.alt-missing",
      target: null,
      occurrenceCount: 3,
      pageCount: 2,
      isSafe: false,
      evidence: { component: `${card}:3` },
      message: `Image without alt text: all of these places come from one element of ${card}.`,
    });
    const { data } = await app.ask<Task>("/fix", { findingId: found.id });
    expect(data.instruction).toContain("Fix this in the source file named below");
    expect(data.instruction).toContain(`source: ${card}:3`);
    expect((await app.finding()).source).toEqual({ kind: "file", file: card, line: 3 });
  });

  test("stay one finding while one place is left, and are fixed with it", async () => {
    await seeCards();
    const { id } = await app.finding();
    await app.see([missing("/work/", "/a.png")]);
    expect(await app.finding()).toMatchObject({ id, occurrenceCount: 1, target: null });
    await app.see([], { visited: ["/work/"] });
    expect(await app.finding()).toMatchObject({ id, status: "fixed" });
  });

  test("take over the state of what was reported for each of them", async () => {
    await publish({ "/work/": cards("/a.png", "/b.png") }, {});
    await app.see([missing("/work/", "/a.png"), missing("/work/", "/b.png")]);
    const second = (await app.findings()).find(({ target }) => target === "/b.png");
    const { data } = await app.ask<Task>("/fix", { findingId: second?.id });
    await seeCards();
    const found = await app.findings();
    const grouped = found.find(({ status }) => status !== "fixed");
    expect(found.map(({ status }) => status).toSorted()).toEqual(["fixed", "queued"]);
    expect(grouped).toMatchObject({ id: second?.id, task: { id: data.id }, target: null });
  });

  test.each([
    ["leaves it to whoever uses it", `---\n---\n<img src={cover} alt={alt} />\n`],
    ["may leave it to whoever uses it", `---\n---\n<img src={cover} {...rest} />\n`],
    ["can't be read", null],
  ])("are findings of their own if the component %s", async (_, source) => {
    const sources = source === null ? {} : { [card]: source };
    await publish({ "/work/": cards("/a.png", "/b.png") }, sources);
    await app.see([missing("/work/", "/a.png"), missing("/work/", "/b.png")]);
    expect((await app.findings()).map(({ target }) => target).toSorted()).toEqual([
      "/a.png",
      "/b.png",
    ]);
  });

  test("are findings of their own if they are written at different lines", async () => {
    const html = `<main>${image("/a.png")}${image("/b.png")}</main>`;
    const tags = [
      ['<img src="/a.png"', card, 3],
      ['<img src="/b.png"', card, 4],
    ] as const;
    await publish({ "/work/": { html, tags } }, { ...plainCard });
    await app.see([missing("/work/", "/a.png"), missing("/work/", "/b.png")]);
    expect(await app.findings()).toHaveLength(2);
  });
});

test("links with several wrong addresses are never one finding", async () => {
  const html = `<nav><a href="/x/">x</a><a href="/y/">y</a></nav>`;
  const nav = "app/src/components/Nav.astro";
  const tags = [
    ["<a", nav, 3],
    ["<a", nav, 3],
  ] as const;
  await publish({ "/work/": { html, tags } }, { [nav]: "---\n---\n<a href={href}>\n" });
  const broken = (href: string) =>
    observed("link.internal-broken", "/work/", { target: href, evidence: { target: href } });
  await app.see([broken("/x/"), broken("/y/")]);
  expect(await app.findings()).toHaveLength(2);
});

test("a finding with places at several lines of one file names the file", async () => {
  const about = "app/src/pages/about.astro";
  const page = (line: number): TaggedPage => ({
    html: `<nav><a href="/x/">x ${line}</a></nav>`,
    tags: [["<a", about, line]],
  });
  await publish({ "/a/": page(3), "/b/": page(9) }, {});
  const link = observed("link.internal-broken", "/a/", { target: "/x/" });
  const place = { selector: "nav a", line: 1, text: "x" };
  const occurrences = ["/a/", "/b/"].map((at) => Object.assign({ page: at }, place));
  await app.see([{ ...link, occurrences, occurrenceCount: 2, pageCount: 2 }]);
  const { id } = await app.finding();
  await app.ask("/fix", { findingId: id });
  expect((await app.finding()).source).toEqual({ kind: "file", file: about, line: null });
});
