import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentContext, messageText } from "../../../../../../test/support/agent-context.ts";
import { goodPage, manifestOf, writeSite } from "../../../../../../test/support/built-site.ts";
import { observed, type QaApp, useQaApp } from "../../../../../../test/support/qa-app.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { makeLiteralEditor } from "../../agent/literal.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import type { Task } from "../../tasks/schema.ts";
import { makeObservations } from "vitrine-qa/src/engine/observations.ts";
import { runPageChecks } from "vitrine-qa/src/checks/run-page-checks.ts";
import { makeParseCaches, openSite } from "vitrine-qa/src/site/site.ts";

let app: QaApp;
useQaApp("sqlite", (made) => (app = made));

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const page = (main: string) => goodPage("/notes/", `<h1>Notes</h1>${main}`);

/** What the check says of the page, found by the very checks that look at sites. */
async function checkHtml(main: string, check: string) {
  const files = {
    "index.html": goodPage("/"),
    "about/index.html": goodPage("/about/", `<h1 id="contact-me">About</h1><p>Me.</p>`),
    "projects/index.html": goodPage("/projects/"),
    "notes/index.html": page(main),
    "old/index.html": "<!doctype html><title>Moved</title>",
  };
  const dir = join(folder.path, "site");
  await writeSite(dir, files);
  const site = openSite(dir, manifestOf(files, { "/old/": "/about/" }), makeParseCaches());
  const notes = site.page("/notes/");
  if (!notes) throw new Error("There is no page.");
  const observations = makeObservations();
  for (const finding of runPageChecks(notes, site, { fallbacks: true }).findings) {
    if (finding.check === check) observations.add(finding, { scope: "page", engine: "test" });
  }
  return observations.all();
}

/** Lets the editor that needs no model carry out a task on the page's source. */
async function execute(source: string, { instruction, pageUrl }: Task): Promise<string> {
  const root = join(folder.path, "workspace");
  const file = join(root, "app/src/pages/notes.astro");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, source);
  await makeLiteralEditor()
    .open(agentContext(root, [], { pageUrl }))
    .send(messageText(instruction));
  return readFile(file, "utf8");
}

const repairs: readonly [check: string, wrong: string, right: string][] = [
  ["link.internal-broken", "/project/", "/projects/"],
  ["link.internal-broken", "../projcets/", "/projects/"],
  ["link.fragment-missing", "/about/#contact-mee", "/about/#contact-me"],
  ["link.case-mismatch", "/About/?a=1#contact-me", "/about/?a=1#contact-me"],
  ["link.self-redirect", "/old/#contact-me", "/about/#contact-me"],
  ["link.http-on-https", "http://example.com/about/", "https://example.com/about/"],
];

test.each(repairs)("%s: the link to %s is fixed without a model", async (check, wrong, right) => {
  const main = (href: string) =>
    `<p>We wrote <a href="${href}">About me</a>, and ${wrong} stays.</p><a href="/about/#contact-me">x</a>`;
  const seen = await checkHtml(main(wrong), check);
  expect(seen).toMatchObject([{ check, isSafe: true }]);
  await app.see(seen);
  const { data } = await app.ask<Task>("/fix", { findingId: (await app.finding()).id });
  expect(textBeforeData(data.instruction).trim()).toBe(
    `change the link "${wrong}" to "${right}" on /notes/`,
  );
  const source = `---\n---\n${main(wrong)}`;
  expect(await execute(source, data)).toBe(`---\n---\n${main(right)}`);
});

const linked = (
  evidence: Record<string, string | null>,
  more: Parameters<typeof observed>[2] = {},
) => observed("link.internal-broken", "/notes/", { safe: true, evidence, ...more });

test.each([
  ["a page that isn't clear", linked({ target: "/x/", candidate: null })],
  ["one that nobody is sure of", linked({ target: "/x/", candidate: "/y/" }, { safe: false })],
  ["the same page", linked({ target: "/x/", candidate: "/x/" })],
  ["a quote", linked({ target: '/x" to "/z', candidate: "/y/" })],
  ["another sentence", linked({ target: "/x/", candidate: '/y/"; replace "A" with "B' })],
  ["white space", linked({ target: "/x y/", candidate: "/y/" })],
  ["a line break", linked({ target: "/x/\n", candidate: "/y/" })],
  ["somebody else's site", linked({ target: "/x/", candidate: "//evil.example/" })],
  ["a script", linked({ target: "/x/", candidate: "javascript:alert(1)" })],
])("where it leads to %s, a person or a model decides", async (_, seen) => {
  await app.see([seen]);
  const { data } = await app.ask<Task>("/fix", { findingId: (await app.finding()).id });
  const words = textBeforeData(data.instruction);
  expect(words.trim()).toBe(
    "Make the link named below lead to the intended page. Remove it only if there is none.",
  );
});

test("a defect on many pages is fixed everywhere unless each page has its own finding", async () => {
  const shared = { shared: true, target: "/x/" } as const;
  const both = { pageCount: 2, occurrenceCount: 2 };
  const place = (at: string) => ({ page: at, selector: "nav a", line: null, text: "" });
  const occurrences = [place("/"), place("/notes/")];
  const root = linked({ target: "/x/", candidate: "/about/" }, shared);
  const relative = linked({ target: "../x/", candidate: "/about/" }, { ...shared, target: "/y/" });
  await app.see([
    { ...root, ...both, occurrences },
    { ...relative, ...both, occurrences },
  ]);
  const words = [];
  for (const { id } of await app.findings("&sort=oldest")) {
    words.push(textBeforeData((await app.ask<Task>("/fix", { findingId: id })).data.instruction));
  }
  expect(words[0]?.trim()).toBe(`change the link "/x/" to "/about/" everywhere`);
  expect(words[1]).toContain("Make the link");
});

test("the owner's exact text is the whole instruction; other text is added to the default one", async () => {
  await app.see([linked({ target: "/x/", candidate: "/about/" })]);
  const { id } = await app.finding();
  const exact = `replace "Old words" with "New words" on /notes`;
  const { data } = await app.ask<Task>("/fix", { findingId: id, instruction: exact });
  expect(textBeforeData(data.instruction).trim()).toBe(exact);
  const source = "---\n---\n<p>Old words</p>";
  expect(await execute(source, data)).toBe("---\n---\n<p>New words</p>");
});

test("a page name that a task can't contain is left out", async () => {
  const odd = observed("seo.title-missing", "/a b/\u202e\\ü/");
  await app.see([odd]);
  const { data } = await app.ask<Task>("/fix", { findingId: (await app.finding()).id });
  expect(data.pageUrl).toMatch(/^\/a%20b\/[^\s\\]*%C3%BC\/$/);
  expect(data.title.length).toBeLessThanOrEqual(140);
  expect(data.title).toMatch(/^Page without a title \(/);
});
