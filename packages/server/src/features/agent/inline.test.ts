import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentContext, messageText } from "../../../../../test/support/agent-context.ts";
import { noRecords } from "../../../../../test/support/no-records.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { testWorkers } from "../../../../../test/support/workers.ts";
import { defaultLimits } from "../../platform/config.ts";
import { AppError } from "../../kit/errors.ts";
import { locateInlineTarget, makeInlineEditor } from "./inline.ts";
import type { NewImage } from "./inline/image-places.ts";
import type { InlineEdit } from "./inline/schema.ts";
import type { AgentProject } from "./records.ts";

let folder: TempFolder;
let root: string;

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
const read = (path: string) => readFile(join(root, path), "utf8");

const home = `---
import Heading from "../components/Heading.astro";
import texts from "../content/home.json";
---
<Heading heading={texts.heading} />
<p>Hello &amp; <a href="/about/">welcome</a> all</p>
<p>{texts.greeting} {new Date().getFullYear()}</p>
<ul>{texts.actions.map((action) => <li>{action.label}</li>)}</ul>
<img src="/images/a.svg" alt="A drawing" width="10" height="10" />
`;
const homeTexts = `{
  "title": "Work", "heading": "Work",
  "greeting": "Since",
  "actions": [{ "label": "Write" }, { "label": "Write" }],
  "portrait": { "src": "/images/me.svg", "alt": "Me", "width": 96, "height": 120 }
}
`;
const body = `## Problem

The *old* ledger [was](/about/) paper,
and slow.

- Same
- Same
`;
const project = {
  slug: "tide",
  name: "Tide",
  status: "published",
  audience: "everyone",
  summary: "A ledger for boats.",
  lede: "Boats wait.",
  body,
  kind: "Tool",
  period: "2024",
  role: "",
  categories: [],
  stack: ["Astro"],
  skills: [],
  metrics: [{ value: "4 h", label: "To close a month" }],
  gallery: [{ src: "/media/2026/a.webp", caption: "The quay.", alt: "A quay" }],
  reelUrl: null,
} satisfies AgentProject;

beforeEach(async () => {
  folder = await tempFolder();
  root = folder.path;
  await put("app/src/pages/index.astro", home);
  await put("app/src/components/Heading.astro", "<h1>{Astro.props.heading}</h1>\n<slot />\n");
  await put("app/src/content/home.json", homeTexts);
  await put("app/src/pages/about.astro", "<h1>About</h1>\n<p>Work</p>\n");
  await put("app/src/pages/projects/[slug].astro", "<h1>{Astro.props.project.name}</h1>\n");
});
afterEach(() => folder[Symbol.asyncDispose]());

const target = { page: "/", source: null, index: 0, count: 1 };
const here = { ...target, scope: "here" as const };
const text = (before: string, after: string, more: Partial<InlineEdit> = {}) =>
  ({ kind: "text", ...here, before, after, ...more }) as InlineEdit;

/** Makes edits in the workspace; gives what was set in the records and what was said. */
async function make(edits: readonly InlineEdit[], image: NewImage | null = null) {
  const saved: Record<string, unknown> = {};
  const records = {
    ...noRecords,
    list: async () => [project],
    setField: async (slug: string, field: string, value: unknown) => {
      saved[`${slug}.${field}`] = value;
      return { path: `projects/${slug}/${field}`, added: 1, removed: 1, patch: "" };
    },
  };
  const editor = makeInlineEditor({
    name: "Mara",
    edits: edits.map((edit) => ({ edit, image: edit.kind === "image" ? image : null })),
  });
  const reply = await editor.open(agentContext(root, [], { records })).send(messageText(""));
  return { saved, reply };
}

const refusal = (edits: readonly InlineEdit[]) =>
  make(edits).then(
    () => Promise.reject(new Error("it went through")),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error as Error)),
  );

const locate = (before: string, more: object = {}) =>
  locateInlineTarget(
    { workers: testWorkers },
    {
      root,
      limits: defaultLimits.workspace,
      records: [project],
      target: { kind: "text", ...target, before, ...more },
    },
  );

/** Where something stands in a file, as the build says it. */
async function sourceOf(file: string, piece: string) {
  const before = (await read(file)).split(piece)[0] ?? "";
  const lines = before.split("\n");
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

describe("where a text is written", () => {
  test("a component's own words, also beside a link", async () => {
    const source = await sourceOf("app/src/pages/index.astro", "<p>Hello");
    expect(await locate("Hello &", { source })).toMatchObject({
      canEdit: true,
      where: "index.astro",
      places: 1,
      isHereKnown: true,
    });
    await make([text("Hello &", "Hi <b> {you} &", { source }), text("welcome", "come in")]);
    expect(await read("app/src/pages/index.astro")).toContain(
      `<p>Hi &#60;b&#62; &#123;you&#125; & <a href="/about/">come in</a> all</p>`,
    );
  });

  test("content: the key that the element shows, of several that say the same", async () => {
    const source = await sourceOf("app/src/components/Heading.astro", "<h1>");
    const found = await locate("Work", { source });
    expect(found).toMatchObject({ where: "home.json", places: 3, isHereKnown: true });
    await make([text("Work", "Projects", { source })]);
    expect(await read("app/src/content/home.json")).toContain(
      `"title": "Work", "heading": "Projects",`,
    );
    const own = await sourceOf("app/src/pages/about.astro", "<p>");
    expect(await locate("Work", { page: "/about/", source: own })).toMatchObject({
      where: "about.astro",
      isHereKnown: true,
    });
  });

  test("of the same words in a list, the one that was meant", async () => {
    const { message } = await refusal([text("Write", "Call", { index: 0, count: 3 })]);
    expect(message).toContain("appears in several places");
    await make([text("Write", "Call", { index: 1, count: 2 })]);
    expect(await read("app/src/content/home.json")).toContain(
      `[{ "label": "Write" }, { "label": "Call" }]`,
    );
  });

  test("fields and passages of the record that the page shows; its Markdown stays", async () => {
    const page = "/projects/tide/";
    const { saved, reply } = await make([
      text("Boats wait.", "Boats “wait”.", { page }),
      text("paper, and slow.", "a [slow] *book*", { page }),
      text("Problem", "Why", { page }),
      text("Same", "Other", { page, index: 1, count: 2 }),
      text("4 h", "3 h", { page }),
    ]);
    expect(saved).toEqual({
      "tide.lede": "Boats “wait”.",
      "tide.body": String.raw`## Why

The *old* ledger [was](/about/) a \[slow\] \*book\*

- Same
- Other
`,
      "tide.metrics": [{ value: "3 h", label: "To close a month" }],
    });
    expect(reply.message).toBe("Change “Boats wait.” to “Boats “wait”.” and 4 more");
    expect(reply.summary).toContain("(body of tide).");
  });

  test("everywhere means files and records, and whole texts alone", async () => {
    await put("app/src/content/other.json", `{ "a": "Tide", "b": "Tide tables", "alt": "Tide" }`);
    const { saved } = await make([text("Tide", "Ebb", { scope: "everywhere" })]);
    expect(saved).toEqual({ "tide.name": "Ebb" });
    expect(await read("app/src/content/other.json")).toBe(
      `{ "a": "Ebb", "b": "Tide tables", "alt": "Tide" }`,
    );
  });

  test.each([["Since 2026"], ["Tool · 2024"], ["not there"]])("not %s", async (before) => {
    const found = await locate(before);
    expect(found).toEqual({
      canEdit: false,
      reason: expect.stringContaining("generates this text"),
    });
  });
});

test("all edits are made or none, and each that can't be is named", async () => {
  const error = await refusal([
    text("Since", "From"),
    text("not there", "x"),
    { kind: "image", ...here, src: "/images/me.svg", mediaId: 1, alt: "x" },
  ]);
  expect(error.code).toBe("validation_failed");
  expect(Object.keys(error.fields ?? {})).toEqual(["edits.1", "edits.2"]);
  expect(await read("app/src/content/home.json")).toBe(homeTexts);
});

test("later edits find what earlier ones have made", async () => {
  await make([text("Since", "From"), text("From", "Ever since")]);
  expect(JSON.parse(await read("app/src/content/home.json"))).toMatchObject({
    greeting: "Ever since",
  });
});

describe("images", () => {
  const image = { src: "/media/2026/new.webp", width: 800, height: 600, alt: "" };

  test("another takes the place of one in content, in a component and in a gallery", async () => {
    const replace = (src: string, page = "/"): InlineEdit => {
      return { kind: "image", ...here, page, src, mediaId: 1, alt: `A "new" one` };
    };
    const { saved } = await make(
      [
        replace("/images/me.svg"),
        replace("/images/a.svg"),
        replace("/media/2026/a.webp", "/projects/tide/"),
      ],
      { ...image, alt: `A "new" one` },
    );
    expect(JSON.parse(await read("app/src/content/home.json"))).toMatchObject({
      portrait: { src: image.src, alt: `A "new" one`, width: 800, height: 600 },
    });
    expect(await read("app/src/pages/index.astro")).toContain(
      `<img src="/media/2026/new.webp" alt="A &quot;new&quot; one" width="800" height="600" />`,
    );
    expect(saved["tide.gallery"]).toEqual([
      { src: image.src, caption: "The quay.", alt: `A "new" one` },
    ]);
  });

  test("alt text is set where the image is written", async () => {
    const { saved } = await make([
      { kind: "alt", ...here, src: "/images/a.svg", after: "Lines" },
      { kind: "alt", ...here, page: "/projects/tide/", src: "/media/2026/a.webp", after: "A pier" },
    ]);
    expect(await read("app/src/pages/index.astro")).toContain(`alt="Lines"`);
    expect(saved["tide.gallery"]).toEqual([
      { src: "/media/2026/a.webp", caption: "The quay.", alt: "A pier" },
    ]);
  });
});
