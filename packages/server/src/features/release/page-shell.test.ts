import { mkdir, readFile, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { repeatingPage } from "../../../../../test/support/hostile-html.ts";
import { type SiteFiles, writeSite } from "../../../../../test/support/built-site.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { testWorkers } from "../../../../../test/support/workers.ts";
import { themeScriptPolicy } from "../../kit/theme-script.ts";
import { platformRoot } from "../../platform/paths.ts";
import { inlineScripts } from "./artifact/script-sources.ts";
import { makePageShells, readShell } from "./page-shell.ts";

const page = `<!doctype html><html lang="en"><head><title>Account &amp; more</title>
<script>run()</script><link rel="stylesheet" href="/s.css"></head>
<body><header>Mara</header><main><div class="wrap" data-account><div><p>A copy</p></div><script>in()</script></div></main>
<script type="application/ld+json">{}</script><footer>End</footer></body></html>`;

describe("the surroundings", () => {
  test("are the page's own, with another title and content, and no script", async () => {
    const shell = await readShell(testWorkers, page, "data-account");
    expect(shell?.title).toBe("Account & more");
    const html = shell?.render('Sign <in> · "x"', "<h1>Here</h1>") ?? "";
    expect(html).toContain('<title>Sign &lt;in&gt; · "x"</title>');
    expect(html).toContain('<div class="wrap" data-account><h1>Here</h1></div></main>');
    expect(html).toContain('<link rel="stylesheet" href="/s.css">');
    expect(html).toContain("<footer>End</footer>");
    expect(html).not.toMatch(/<script|A copy/);
  });

  test.each([
    ["without the place", page.replace("data-account", "data-other")],
    ["with a place that is never closed", "<p data-account>"],
    ["that is empty", ""],
  ])("of a page %s are none", async (_, html) => {
    expect(await readShell(testWorkers, html, "data-account")).toBeNull();
  });

  test("abuse 143: of a page with more elements than allowed are none", async () => {
    const html = `<div data-account></div>${repeatingPage(1000)}`;
    expect(await readShell(testWorkers, html, "data-account")).toBeNull();
  });

  test("of a page without a title keep it so", async () => {
    const html = "<body><div data-account></div>";
    expect((await readShell(testWorkers, html, "data-account"))?.render("Title", "<i>1</i>")).toBe(
      "<body><div data-account><i>1</i></div>",
    );
  });

  test("are put together once: what is put in is not read again", async () => {
    const shell = await readShell(testWorkers, page, "data-account");
    expect(shell?.render("$& $1", "<p>$& data-account</p>")).toContain("<p>$& data-account</p>");
  });
});

test("the one script left is the one that the default site takes its theme with", async () => {
  const source = join(platformRoot, "packages/template/app/src/components/ThemeScript.astro");
  const [, script = ""] =
    /<script is:inline>([^]*?)<\/script>/.exec(await readFile(source, "utf8")) ?? [];
  expect(Buffer.byteLength(script)).toBeLessThanOrEqual(500);
  const shellWith = async (text: string) => {
    const html = page.replace("run()", () => text);
    return (await readShell(testWorkers, html, "data-account"))?.render("", "");
  };
  expect(await shellWith(script)).toContain(`<script>${script}</script>`);
  expect(themeScriptPolicy).toBe(`script-src '${inlineScripts(`<script>${script}</script>`)[0]}'`);
  expect(await shellWith(`${script};steal()`)).not.toContain("<script");
});

describe("the live release", () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  async function publish(number: number, files: SiteFiles): Promise<void> {
    const releases = join(folder.path, "releases");
    await mkdir(releases, { recursive: true });
    await writeSite(join(releases, `${number}`), files);
    await symlink(`releases/${number}`, join(folder.path, "next"));
    await rename(join(folder.path, "next"), join(folder.path, "current"));
  }
  const open = () =>
    makePageShells({
      workers: testWorkers,
      paths: { current: join(folder.path, "current"), releases: join(folder.path, "releases") },
      address: "/account/",
      mark: "data-account",
    });

  test("has no surroundings before the first, and where the site has no such page", async () => {
    const shells = open();
    expect(await shells.read()).toBeNull();
    expect(await shells.isPublic("/")).toBe(false);
    await publish(1, { "index.html": page });
    expect(await shells.read()).toBeNull();
  });

  test("gives those of the release that is live at this moment", async () => {
    const shells = open();
    await publish(1, { "index.html": "<p>Home", "account/index.html": page });
    expect((await shells.read())?.render("", "")).toContain("<footer>End</footer>");
    await publish(2, { "account/index.html": page.replace("End", "Another end") });
    expect((await shells.read())?.render("", "")).toContain("<footer>Another end</footer>");
  });

  test("tells what everybody gets", async () => {
    const shells = open();
    await publish(1, { "index.html": "<p>Home", "about/index.html": "<p>About" });
    const known = await Promise.all(
      ["/", "/about/", "/about", "/projects/secret/", "/toString"].map(shells.isPublic),
    );
    expect(known).toEqual([true, true, true, false, false]);
  });
});
