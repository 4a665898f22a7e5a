import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { noRecords } from "../../../../../../test/support/no-records.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { testWorkers } from "../../../../../../test/support/workers.ts";
import { defaultLimits } from "../../../platform/config.ts";
import type { AgentEvent, SiteCheck } from "../agent.ts";
import { type Jail, openJail } from "./jail.ts";
import { makeReadTracker } from "./read-tracker.ts";
import { type BoundTool, makeTools, type ToolReport } from "./toolbox.ts";

let folder: TempFolder;
let jail: Jail;
let tools: BoundTool[];
let events: AgentEvent[];
let site: SiteCheck;

async function put(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder.path, path)), { recursive: true });
  await writeFile(join(folder.path, path), data);
}

function call(name: string, input: unknown): Promise<ToolReport> {
  const tool = tools.find((t) => t.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.call("call-1", input);
}

const longFile = Array.from({ length: 100 }, (_, i) => `<p>Line ${i + 1}</p>`).join("\n");

beforeEach(async () => {
  folder = await tempFolder();
  events = [];
  site = { ok: true, pages: 12 };
  await put(
    "app/src/pages/index.astro",
    "<h1>Hello world</h1>\n<p>Some words</p>\n<p>Some words</p>\n",
  );
  await put("app/src/pages/long.astro", longFile);
  jail = await openJail(folder.path, defaultLimits.workspace);
  tools = makeTools(
    {
      jail,
      reads: makeReadTracker(),
      workers: testWorkers,
      mediaDir: join(folder.path, "media"),
      mayView: async (src) => !src.includes("draft"),
      records: noRecords,
      signal: new AbortController().signal,
      checkSite: async () => site,
    },
    { mode: "build", emit: (event) => events.push(event), signal: new AbortController().signal },
    fakeClock(),
  );
});

afterEach(() => folder.remove());

test("no tool changes a setting", async () => {
  expect(tools.map(({ name }) => name)).toSatisfy((names: string[]) => {
    const files = ["list", "glob", "grep", "read", "write", "edit", "move", "delete"];
    const images = ["view_image", "list_library_images", "arrange_gallery"];
    const projects = ["list_projects", "read_project", "set_project_field", "edit_project_text"];
    const known = [...files, ...images, ...projects, "create_project_draft", "check_site"];
    return names.toSorted().join() === known.toSorted().join();
  });
  const input = { project: "tasks", field: "tasks.unattended", value: "all" };
  expect((await call("set_project_field", input)).ok).toBe(false);
});

test("read numbers lines, and says if there are more", async () => {
  expect(await call("read", { path: "app/src/pages/long.astro", from: 99 })).toMatchObject({
    ok: true,
    text: "99\t<p>Line 99</p>\n100\t<p>Line 100</p>\n",
  });
  const part = await call("read", { path: "app/src/pages/long.astro", lines: 2 });
  expect(part.text).toContain("(lines 1–2 of 100)");
  await put("app/src/one.txt", "x".repeat(500_000));
  expect((await call("read", { path: "app/src/one.txt" })).text.length).toBeLessThan(3000);
});

test("list, glob and grep", async () => {
  expect((await call("list", { path: "app/src" })).text).toBe("app/src/pages/");
  expect((await call("glob", { pattern: "app/**/*.astro" })).text).toBe(
    "app/src/pages/index.astro\napp/src/pages/long.astro",
  );
  expect((await call("grep", { text: "hello", ignoreCase: true })).text).toBe(
    "app/src/pages/index.astro:1: <h1>Hello world</h1>",
  );
  expect((await call("grep", { text: "hello" })).text).toBe("No line matches.");
  expect((await call("glob", { pattern: "app/src/*/{index,long}.astro" })).ok).toBe(false);
  await put("app/src/pages/[slug].astro", "<p>One</p>");
  expect((await call("glob", { pattern: "**/[s???].astro" })).text).toBe(
    "app/src/pages/[slug].astro",
  );
});

describe("edit", () => {
  const edit = (more: object) => call("edit", { path: "app/src/pages/index.astro", ...more });

  test("a text that occurs once", async () => {
    expect((await edit({ search: "Hello world", replace: "$& $1 new" })).ok).toBe(true);
    expect(await jail.readText("app/src/pages/index.astro")).toContain("<h1>$& $1 new</h1>");
    expect(events.at(-1)).toMatchObject({ type: "file.changed", data: { added: 1, removed: 1 } });
    expect(events.at(-2)).toMatchObject({ data: { title: "Edited index.astro +1 −1", ok: true } });
  });

  test("a text that occurs twice is reported with its lines, and replaceAll replaces both", async () => {
    const refused = await edit({ search: "Some words", replace: "x" });
    expect(refused).toMatchObject({ ok: false });
    expect(refused.text).toContain("2 times (lines 2, 3)");
    expect(await edit({ search: "Some words", replace: "x", replaceAll: true })).toMatchObject({
      ok: true,
    });
  });

  test("a missing text is reported with the nearest line", async () => {
    const refused = await edit({ search: "<h1>Hello, World!</h1>", replace: "x" });
    expect(refused.text).toContain("The most similar is line 1: <h1>Hello world</h1>");
    expect(events.at(-1)).toMatchObject({ type: "tool.result", data: { ok: false } });
  });

  test("a text with different white space is reported exactly, and not changed", async () => {
    const text = "<ul>\n\t<li>One</li>\n    <li>Two</li>\n</ul>\n";
    await put("app/src/pages/index.astro", text);
    const search = "  <li>One</li>\n  <li>Two</li>";
    const refused = await edit({ search, replace: "x" });
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("different white space (line 2). The exact text is:");
    expect(refused.text).toContain("\t<li>One</li>\n    <li>Two</li>");
    expect(await jail.readText("app/src/pages/index.astro")).toBe(text);
    const again = await edit({ search: "\t<li>One</li>\n    <li>Two</li>", replace: "x" });
    expect(again.ok).toBe(true);
  });

  test("a file that changed since it was read has to be read again; the agent's own edits don't count", async () => {
    await call("read", { path: "app/src/pages/index.astro" });
    expect((await edit({ search: "Hello", replace: "Hi" })).ok).toBe(true);
    expect((await edit({ search: "Hi", replace: "Hey" })).ok).toBe(true);
    await put("app/src/pages/index.astro", "<h1>Hey, from elsewhere</h1>\n");
    for (const [name, more] of [
      ["edit", { search: "Hey", replace: "Ho" }],
      ["write", { content: "x" }],
      ["delete", {}],
    ] as const) {
      const refused = await call(name, { path: "app/src/pages/index.astro", ...more });
      expect(refused.text).toContain("has changed since you read it");
    }
    await call("read", { path: "app/src/pages/index.astro" });
    expect((await edit({ search: "Hey", replace: "Ho" })).ok).toBe(true);
  });

  test("arguments in JSON as a string are accepted", async () => {
    const path = "app/src/pages/index.astro";
    const input = JSON.stringify({ path, search: "Some words", replace: "y", replaceAll: "true" });
    expect(await call("edit", input)).toMatchObject({ ok: true });
    expect(await call("edit", JSON.stringify(input))).toMatchObject({ ok: false });
    expect(await call("read", { path, from: "2" })).toMatchObject({
      ok: true,
      text: "2\t<p>y</p>\n3\t<p>y</p>\n",
    });
    expect((await call("read", "{not json")).text).toContain("arguments don't fit");
    expect((await call("read", { path, from: "two" })).text).toContain("arguments don't fit");
  });
});

describe("rewrites that omit something", () => {
  test.each([
    "<h1>New</h1>\n<!-- ... -->\n",
    "// ... rest unchanged",
    "<p>New</p>\n{/* … existing code … */}",
    "The rest of the file stays the same",
    "/* existing styles here */",
    "<!-- ...existing content... -->",
    "<ul>\n  ...\n</ul>",
    "<ul>\n  …\n</ul>",
    '[\n  { "name": "A" },\n  "..."\n]',
    "<!-- unchanged -->",
    "<p>[unchanged]</p>",
    "<p>(same as before)</p>",
    "{/* same as before */}",
    ".a { color: red }\n/* rest of the rules stay */",
    "<!-- other sections remain here -->",
    "// keep existing imports",
    "/* omitted for brevity */",
    "<!-- Rest bleibt unverändert -->",
    "// le reste du fichier",
    "/* sin cambios */",
    "<!-- 以下省略 -->",
    "<!-- your content here -->",
  ])("%s", async (content) => {
    const refused = await call("write", { path: "app/src/pages/index.astro", content });
    expect(refused.ok).toBe(false);
    expect(await jail.readText("app/src/pages/index.astro")).toContain("Hello world");
  });

  test.each([
    "<p>And so on … the sea is calm.</p>",
    "<p>Take a rest of an hour.</p>",
    "const all = [...rest];",
    "<p>Loading...</p>",
    "/* Cards that share their borders: the list shows through as lines of one pixel. */",
    "<p>The price is the same as before, and the rest is yours.</p>",
    "// The page itself, or the part of the site that it belongs to.",
    "<a href='https://example.com/unchanged'>unchanged</a>",
    "<!-- One column on telephones. -->",
    "<blockquote>“… and then it rained.”</blockquote>",
    "function f(...rest: string[]) {}",
    "<p>We kept the existing code and the remaining content.</p>",
  ])("but not: %s", async (content) => {
    expect(await call("write", { path: "app/src/pages/new.astro", content })).toMatchObject({
      ok: true,
    });
  });

  test("dropping most of a long file needs confirmation", async () => {
    const input = { path: "app/src/pages/long.astro", content: "<p>Short</p>\n" };
    expect((await call("write", input)).text).toContain("This would drop 98 %");
    expect((await call("write", { ...input, confirm: true })).ok).toBe(true);
    await put("app/src/pages/wide.astro", "word ".repeat(2000));
    const cut = { path: "app/src/pages/wide.astro", search: "word ".repeat(1500), replace: "" };
    expect((await call("edit", cut)).text).toContain("This would drop 75 % of 10000 characters");
  });
});

test("move and delete report the result", async () => {
  await call("move", { from: "app/src/pages/index.astro", to: "app/src/pages/home.astro" });
  await call("delete", { path: "app/src/pages/home.astro" });
  const changes = events.flatMap((e) => (e.type === "file.changed" ? [e.data] : []));
  expect(changes.map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ["app/src/pages/index.astro", 0, 3],
    ["app/src/pages/home.astro", 3, 0],
    ["app/src/pages/home.astro", 0, 3],
  ]);
});

test("check_site reports the errors", async () => {
  expect((await call("check_site", {})).text).toBe("The site builds: 12 pages.");
  site = { ok: false, errors: ["index.astro:3 Unexpected token"] };
  const report = await call("check_site", {});
  expect(report).toMatchObject({ ok: true, title: "Checked the site: 1 error" });
  expect(report.text).toContain("Unexpected token");
  site = { ok: false, errors: Array.from({ length: 90 }, (_, i) => `${i} ${"x".repeat(5000)}`) };
  const long = await call("check_site", {});
  expect(long.text.length).toBeLessThan(9000);
  expect(long.text).toMatch(/… and 8\d more$/);
});

test("view_image recognizes images by their bytes, below app/public only", async () => {
  await put("app/public/fake.png", "<svg/>");
  await put("app/src/real.png", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
  await put("app/public/real.txt", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
  await put(
    "app/public/big.png",
    Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(4_200_000)]),
  );
  expect(await call("view_image", { path: "app/public/fake.png" })).toMatchObject({ ok: false });
  expect(await call("view_image", { path: "app/src/real.png" })).toMatchObject({ ok: false });
  expect(await call("view_image", { path: "app/public/big.png" })).toMatchObject({ ok: false });
  expect(await call("view_image", { path: "app/public/real.txt" })).toMatchObject({
    ok: true,
    image: { mediaType: "image/png" },
  });
});
