import { mkdir, rm, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  goodPage,
  goodStyle,
  type SiteFiles,
  writeSite,
} from "../../../../../../test/support/built-site.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import { defaultLimits } from "../../../platform/config.ts";
import type { BuildReport } from "../../runs/schema.ts";
import { readManifest } from "../../release/artifact/artifact.ts";
import type { FileDiff } from "../../workspace/diff.ts";
import { scopeOfTask } from "../scope/task-scope.ts";
import { compareSites } from "./compare.ts";
import { reasonsOf } from "./reasons.ts";
import { reviewChange } from "./review.ts";

let folder: TempFolder;
let live: Record<string, string | Buffer>;
beforeEach(async () => {
  folder = await tempFolder();
  live = {
    "index.html": goodPage(
      "/",
      '<h1>Work</h1><script>known()</script><a href="https://kept.example/a">x</a>',
    ),
    "about/index.html": goodPage(
      "/about/",
      `<h1>About</h1><p>${"Words about me. ".repeat(40)}</p>`,
    ),
    "contact/index.html": goodPage("/contact/", "<h1>Contact</h1><p>Write.</p>"),
    "code.js": "one()",
    "player/index.html": goodPage(
      "/player/",
      '<script src="/code.js"></script><script src="https://cdn.example/x.js" integrity="sha256-a"></script>',
    ),
    "site.css": goodStyle,
  };
});
afterEach(() => folder.remove());

/** What a task is about that may change a text on one page. */
const scope = scopeOfTask({ kind: "edit", instruction: "", page_url: null, attachments: "[]" });

const clean: BuildReport = {
  pages: 1,
  findings: [],
  added: { error: 0, warning: 0, notice: 0 },
  fixed: 0,
  brokenLinks: 0,
  bytes: { before: 0, after: 0 },
  blank: [],
};

const diffOf = (path: string, given: Partial<FileDiff> = {}): FileDiff => ({
  path,
  status: "modified",
  added: 1,
  removed: 1,
  binary: false,
  patch: "",
  truncated: false,
  ...given,
});

interface ReviewInput {
  /** The files of the new site that are other than live; null for those that are gone. */
  edits?: Record<string, string | Buffer | null>;
  redirects?: Record<string, string>;
  files?: FileDiff[];
  report?: BuildReport | null;
  first?: boolean;
  host?: string | null;
}

/** Compares in this thread: one of its own for each would take most of the time. */
async function review(given: ReviewInput) {
  const [artifactDir, liveDir] = [join(folder.path, "next"), join(folder.path, "live")];
  const next = Object.entries({ ...live, ...given.edits }).filter(([, body]) => body !== null);
  await writeSite(liveDir, live);
  await writeSite(artifactDir, Object.fromEntries(next) as SiteFiles, given.redirects);
  const open = async (dir: string) => ({ dir, manifest: await readManifest(`${dir}.json`) });
  const found = compareSites({
    next: await open(artifactDir),
    live: given.first ? null : await open(liveDir),
    host: given.host === undefined ? "example.com" : given.host,
  });
  return reasonsOf(found, {
    files: given.files ?? [diffOf("app/src/pages/about.astro")],
    report: given.report === undefined ? clean : given.report,
    limits: defaultLimits.tasks,
  });
}

const about = (main: string, head = "") => ({
  "about/index.html": goodPage(
    "/about/",
    `<h1>About</h1><p>${"Words. ".repeat(60)}</p>${main}`,
    head,
  ),
});

test("an everyday change gives no reason", async () => {
  expect(await review({ edits: about('<a href="/contact/">Write to me</a>') })).toEqual([]);
});

test("what the live site has on another page is nothing new", async () => {
  const known = '<script>known()</script><a href="https://kept.example/b">x</a>';
  const player =
    '<script src="/code.js"></script><script src="https://cdn.example/x.js" integrity="sha256-a"></script>';
  expect(await review({ edits: about(known + player) })).toEqual([]);
});

test.each([
  ["other text", "<script>known() </script>"],
  ["another type", "<script type=module>known()</script>"],
  ["another role", '<img src="https://kept.example/a.png" alt="">'],
  ["another address", '<script src="/code.js?x"></script>'],
  ["without its integrity", '<script src="https://cdn.example/x.js"></script>'],
])("a known thing in another way is new: %s", async (_, snippet) => {
  expect(await review({ edits: about(snippet) })).not.toEqual([]);
});

test("a script under its old address with other bytes is new, on the pages as they are", async () => {
  const reasons = await review({ edits: { "code.js": "two()" } });
  expect(reasons).toEqual([
    expect.objectContaining({ kind: "script", items: ["a script file (/code.js)"] }),
  ]);
});

test("the bytes behind a known address count where the page is new, too", async () => {
  const edits = { "code.js": "two()", ...about('<script src="/code.js"></script>') };
  const [reason] = await review({ edits });
  expect(reason?.items).toEqual(["a script at /code.js on /about/", "a script file (/code.js)"]);
});

test("an item says the origin, what it is for and where", async () => {
  const added =
    '<img src="https://x.example/a.png" alt=""><form action="https://y.example/f"></form>';
  const edits = {
    ...about(added),
    "contact/index.html": goodPage("/contact/", '<img src="//x.example/b" alt="">'),
  };
  expect(await review({ edits })).toEqual([
    {
      kind: "origin",
      message: expect.stringContaining("uses external addresses"),
      items: [
        "loads from https://x.example on /about/ and one more place",
        "sends forms to https://y.example/f on /about/",
      ],
    },
  ]);
});

test("without the site's own address a page of the same kind is still nothing new", async () => {
  expect(await review({ edits: { "new/index.html": goodPage("/new/") }, host: null })).toEqual([]);
});

test("a policy that a page had and no longer has is told", async () => {
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`;
  live["about/index.html"] = goodPage("/about/", "<p>One</p>", policy);
  const same = await review({
    edits: { "about/index.html": goodPage("/about/", "<p>Two</p>", policy) },
  });
  expect(same).toEqual([]);
  const without = await review({
    edits: { "about/index.html": goodPage("/about/", "<p>Two</p>") },
  });
  expect(without).toMatchObject([{ kind: "script", items: [expect.stringContaining("policy")] }]);
});

test("a file that could not be looked into stays so only as it is", async () => {
  live["old.bin"] = "x";
  expect(await review({ edits: { "moved.bin": "x" } })).toEqual([]);
  expect(await review({ edits: { "moved.php": "x" } })).toMatchObject([{ kind: "unchecked" }]);
  expect(await review({ edits: { "old.bin": "y" } })).toMatchObject([{ kind: "unchecked" }]);
});

test("a text file that becomes a page is read as one", async () => {
  live["notes.txt"] = "<script>alert(1)</script>";
  const edits = { "notes.html": "<script>alert(1)</script>" };
  expect(await review({ edits })).toMatchObject([{ kind: "script" }]);
});

test("before the first release everything is new", async () => {
  const reasons = await review({ first: true });
  expect(reasons.map(({ kind }) => kind)).toEqual(["script", "origin"]);
  expect(reasons[1]?.items).toContain("links to https://kept.example on /");
});

test("a reason has at most 20 items, and says how many there are", async () => {
  const links = Array.from({ length: 50 }, (_, i) => `<a href="https://h${i}.example/">x</a>`);
  const [reason] = await review({ edits: about(links.join("")) });
  expect(reason?.items).toHaveLength(20);
  expect(reason?.items.at(-1)).toBe("and 31 more");
});

test("pages that are gone are named; one that leads on now is not gone", async () => {
  const moved = goodPage("/about/", "", '<meta http-equiv="refresh" content="0;url=/new/">');
  const edits = { "about/index.html": moved, "contact/index.html": null };
  const redirects = { "/about/": "/new/" };
  expect(await review({ edits, redirects })).toEqual([
    { kind: "size", message: "It removes one page from the site.", items: ["/contact/"] },
  ]);
});

test("a page of which almost nothing is left is named, one that is shortened is not", async () => {
  const shorter = goodPage("/about/", `<h1>About</h1><p>${"Words about me. ".repeat(15)}</p>`);
  expect(await review({ edits: { "about/index.html": shorter } })).toEqual([]);
  const emptied = goodPage("/about/", "<h1>About</h1>");
  expect(await review({ edits: { "about/index.html": emptied } })).toEqual([
    { kind: "size", message: "It removes almost everything from one page.", items: ["/about/"] },
  ]);
});

test("growth counts where it happens: neither a smaller file nor another name makes up for it", async () => {
  const [large, larger] = [Buffer.alloc(2.5e6), Buffer.alloc(2.6e6)];
  Object.assign(live, { "old.png": large, "_astro/a.woff2": large });
  const renamed = { "_astro/a.woff2": null, "_astro/b.woff2": larger };
  expect(await review({ edits: renamed })).toEqual([]);
  expect(await review({ edits: { "media/2026/x.webp": large } })).toEqual([]);
  const replaced = await review({ edits: { "old.png": null, "new.png": large } });
  expect(replaced).toMatchObject([{ kind: "size", message: expect.stringContaining("2442 KiB") }]);
});

test.each([
  ["files", Array.from({ length: 21 }, (_, i) => diffOf(`app/${i}`)), "21 files"],
  ["lines", [diffOf("app/a", { added: 500, removed: 400 })], "900 lines"],
  [
    "deletions",
    Array.from({ length: 6 }, (_, i) => diffOf(`app/${i}`, { status: "deleted" })),
    "deletes 6",
  ],
])("too many %s are told", async (_, files, words) => {
  const reasons = await review({ files });
  expect(reasons).toMatchObject([{ kind: "size", message: expect.stringContaining(words) }]);
});

test("errors that the checks found are reasons, warnings are not; no checks are one", async () => {
  const finding = { check: "c", category: "links", page: "/about/", target: null };
  const report = {
    ...clean,
    findings: [
      { ...finding, severity: "error" as const, message: "A link leads nowhere" },
      { ...finding, severity: "warning" as const, message: "An image is large" },
    ],
    added: { error: 1, warning: 1, notice: 0 },
  };
  expect(await review({ report })).toMatchObject([
    { kind: "checks", items: ["A link leads nowhere (/about/)"] },
  ]);
  expect(
    await review({ report: { ...clean, added: { error: 0, warning: 3, notice: 1 } } }),
  ).toEqual([]);
  expect(await review({ report: null })).toMatchObject([{ kind: "unchecked", items: [] }]);
});

test("the live release may be given by the link to it", async () => {
  await review({});
  const [link, artifactDir] = [join(folder.path, "current"), join(folder.path, "next")];
  await symlink("live", link);
  const job = {
    artifactDir,
    files: [],
    report: clean,
    limits: defaultLimits.tasks,
    scope,
    browser: null,
  };
  const given = { ...job, liveDir: link, baseUrl: "https://example.com" };
  expect(await reviewChange(given)).toEqual([]);
});

test("what can't be compared is a reason, and so is a file that can't be read", async () => {
  const job = {
    files: [],
    report: clean,
    limits: defaultLimits.tasks,
    liveDir: null,
    scope,
    browser: null,
  };
  const missing = await reviewChange({ ...job, artifactDir: join(folder.path, "none") });
  expect(missing).toMatchObject([{ kind: "unchecked" }]);
  await review({});
  await rm(join(folder.path, "next/about/index.html"));
  await mkdir(join(folder.path, "next/about/index.html"));
  await truncate(join(folder.path, "next/index.html"), 0);
  const dir = join(folder.path, "next");
  const reasons = await reviewChange({ ...job, artifactDir: dir });
  expect(reasons.find(({ kind }) => kind === "unchecked")?.items).toEqual([
    "a file that can't be read on /about/",
  ]);
});

test("an abort ends the comparison", async () => {
  await review({});
  const controller = new AbortController();
  const dirs = { artifactDir: join(folder.path, "next"), liveDir: join(folder.path, "live") };
  const job = {
    ...dirs,
    files: [],
    report: clean,
    limits: defaultLimits.tasks,
    scope,
    browser: null,
  };
  const waiting = reviewChange({ ...job, signal: controller.signal });
  controller.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(reviewChange({ ...job, signal: controller.signal })).rejects.toThrow("stopped");
});
