import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isText, nodesBelow } from "../../packages/qa/src/page/dom.ts";
import { makeParseCaches, openSite } from "../../packages/qa/src/site/site.ts";
import { findLowContrastText } from "../../packages/qa/src/style/contrast.ts";
import { contentType } from "../../packages/server/src/features/release/artifact/artifact.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser } from "../support/browser.ts";
import { manifestOf, type SiteFiles } from "../support/built-site.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";
import { buildTemplate, sampleSnapshot } from "./template-site.ts";

let folder: TempFolder;
let browser: Browser;
let built: string;

beforeAll(async () => {
  [folder, browser] = await Promise.all([tempFolder(), launchBrowser()]);
  built = (await buildTemplate(join(folder.path, "site"), await sampleSnapshot())).site;
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await folder?.remove();
});

/** What is broken: in the style sheet of the site, one token or rule. */
const variants: [name: string, break_: (css: string) => string][] = [
  ["as it is", (css) => css],
  ["muted text light grey", (css) => css.replace("#4a5059", "#b9bec6")],
  ["muted text dark grey in the dark", (css) => css.replace("#a4abb6", "#3f454e")],
  ["small text faded", (css) => `${css}.small,.eyebrow{opacity:.45}`],
  ["faint on a narrow window only", (css) => `${css}@media (width<=560px){.lead{color:#c9c9c9}}`],
];

async function filesOf(dir: string): Promise<SiteFiles> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files: Record<string, Buffer> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[path.slice(dir.length + 1)] = await readFile(path);
  }
  return files;
}

async function serve(files: SiteFiles): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname.slice(1);
    const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    const body = files[file];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": contentType(file) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  return { server, url: `http://127.0.0.1:${address.port}` };
}

const looked = ["/about/"];
const viewports = [
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
] as const;

/** The elements that axe calls too faint, by their opening tag and words. */
async function axeFaint(url: string): Promise<Set<string>> {
  const found = new Set<string>();
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  for (const path of looked) {
    await page.goto(url + path);
    for (const { width, scheme } of viewports) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      const violations = await axe(page, { rules: ["color-contrast"] });
      for (const { html } of violations.flatMap(({ nodes }) => nodes)) {
        found.add(`${path} ${wordsOf(html)}`);
      }
    }
  }
  await context.close();
  return found;
}

/** An element by its tag and first words, as both ways of looking can tell it. */
const named = (tag: string, text: string) =>
  `${tag} ${text.replace(/\s+/g, " ").trim().slice(0, 24)}`;

function wordsOf(html: string): string {
  const name = /^<([a-z0-9]+)/.exec(html)?.[1] ?? "";
  return named(name, html.replace(/<[^>]*>/g, " ").replaceAll("&amp;", "&"));
}

async function ownFaint(dir: string, files: SiteFiles): Promise<Set<string>> {
  const site = openSite(dir, manifestOf(files), makeParseCaches());
  const found = new Set<string>();
  for (const path of looked) {
    const page = site.page(path);
    if (!page) throw new Error(`There is no page ${path}.`);
    const report = findLowContrastText(page, site);
    expect(report.notChecked).toBeNull();
    for (const { element } of report.lowContrast) {
      const texts = [...nodesBelow(element)].map((node) => (isText(node) ? node.data : ""));
      found.add(`${path} ${named(element.name, texts.join(" "))}`);
    }
  }
  return found;
}

test("contrast findings without a browser match axe's findings in one", async () => {
  for (const [index, [name, broken]] of variants.entries()) {
    const dir = join(folder.path, `variant-${index}`);
    await cp(built, dir, { recursive: true });
    const css = (await readdir(join(dir, "_astro"))).filter((file) => file.endsWith(".css"));
    for (const file of css) {
      const path = join(dir, "_astro", file);
      await writeFile(path, broken(await readFile(path, "utf8")));
    }
    const files = await filesOf(dir);
    const { server, url } = await serve(files);
    const [theirs, own] = [await axeFaint(url), await ownFaint(dir, files)];
    server.close();
    expect([name, ...[...own].toSorted()]).toEqual([name, ...[...theirs].toSorted()]);
    expect(theirs.size > 0).toBe(index > 0);
  }
}, 180_000);
