import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeatingPage } from "../../../../../test/support/hostile-html.ts";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent } from "../../../../../test/support/runs-site.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { pageKey, tagFileOf } from "../release/source-tags/tag-file.ts";
import { previewFilePolicy, previewPolicy } from "./preview-policy.ts";

let app: RunsApp;
let runId: string;
let base: string;

const files: Record<string, string | Uint8Array> = {
  "index.html":
    '<!doctype html><link rel="stylesheet" href="/_astro/a.css"><script type="module" src="/_astro/a.js"></script><a href="/about/">About</a>',
  "about/index.html": '<a href="/">Home</a>',
  "404.html": '<h1>Not here</h1><a href="/">Home</a>',
  "_astro/a.css": "body{background:url(/media/a.mp4)}",
  "_astro/a.js": 'import"/_astro/b.js"',
  "_astro/b.js": "export const b = 1",
  "media/a.mp4": new Uint8Array(1000).map((_, i) => i % 251),
  "with space.txt": "text",
  "heavy/index.html": repeatingPage(1000),
};

beforeAll(async () => {
  app = await startRunsApp();
  const agent = scriptedAgent(async (context) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(context.root, "app/src/pages", path);
      await mkdir(join(file, ".."), { recursive: true });
      await writeFile(file, text);
    }
  });
  runId = await app.edit(agent);
  base = `/_preview/${runId}`;
});
afterAll(() => app.cleanup());

const ask = (path: string, headers: Record<string, string> = {}) =>
  app.ask(base + path, { headers });

/** The ticketed prefix of what a page loads. */
async function ticketed(): Promise<string> {
  const { text } = await ask("/");
  return /href="(\/_preview\/[^"]*?)\/_astro\/a\.css"/.exec(text)?.[1] ?? "";
}

/** Asks as the browser does for what a page loads: without a cookie. */
const anonymous = { headers: { cookie: "" } };

describe("a preview", () => {
  it("abuse 142: tells of a page that is too complex to be rewritten", async () => {
    const page = await ask("/heavy/");
    expect(page.status).toBe(422);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.text).toContain("This page can't be previewed: it has more than 100000 elements.");
    expect((await ask("/about/")).status).toBe(200);
  });

  it("shows pages with links for the session and files for a ticket", async () => {
    const page = await ask("/");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const prefix = await ticketed();
    expect(prefix).toMatch(new RegExp(`^${base}/~[^/]+$`));
    expect(page.text).toContain(`<a href="${base}/about/">`);
    // An address with a ticket leads the session to the page itself.
    const withTicket = await app.ask(`${prefix}/about/?x=1`);
    expect([withTicket.status, withTicket.headers["location"]]).toEqual([
      307,
      `${base}/about/?x=1`,
    ]);
  });

  it("rewrites styles and scripts, and sends all else as it is", async () => {
    const prefix = await ticketed();
    const read = (path: string) => app.ask(prefix + path, { headers: { cookie: "" } });
    expect((await read("/_astro/a.css")).text).toBe(`body{background:url(${prefix}/media/a.mp4)}`);
    expect((await read("/_astro/a.js")).text).toBe(`import"${prefix}/_astro/b.js"`);
    expect((await read("/_astro/b.js")).text).toBe(files["_astro/b.js"]);
    expect((await ask("/with%20space.txt")).text).toBe("text");
    expect((await read("/media/a.mp4")).headers["content-length"]).toBe("1000");
  });

  it("sends a page that would fill the memory as it is, with as little as others may do", async () => {
    const { artifactSha } = await app.runs.getPreview(runId);
    const dir = join(app.paths.artifacts, artifactSha);
    const before = await readFile(`${dir}.json`, "utf8");
    const manifest = JSON.parse(before) as { files: Record<string, object> };
    const bytes = 9 * 1024 * 1024;
    manifest.files["/huge/"] = { ...manifest.files["/about/"], file: "huge.html", bytes };
    await writeFile(join(dir, "huge.html"), `<a href="/">Home</a>`.padEnd(bytes));
    await writeFile(`${dir}.json`, JSON.stringify(manifest));
    const { text, headers } = await ask("/huge/");
    await writeFile(`${dir}.json`, before);
    expect(text.slice(0, 20)).toBe('<a href="/">Home</a>');
    expect(headers["content-security-policy"]).toMatch(/^sandbox; default-src 'none'; /);
  });

  it("answers ranges, as players of videos ask for them", async () => {
    const read = (range: string) => ask("/media/a.mp4", { range });
    const part = await read("bytes=10-19");
    expect([part.status, part.headers["content-range"], part.headers["content-length"]]).toEqual([
      206,
      "bytes 10-19/1000",
      "10",
    ]);
    expect((await read("bytes=-5")).headers["content-range"]).toBe("bytes 995-999/1000");
    expect((await read("bytes=1000-")).status).toBe(416);
    expect((await read("nonsense")).status).toBe(200);
  });

  it("redirects to where a page really is, and shows the site's own 404 page", async () => {
    const folder = await ask("/about?x=1");
    expect([folder.status, folder.headers["location"]]).toEqual([307, `${base}/about/?x=1`]);
    expect((await app.ask(base)).headers["location"]).toBe(`${base}/`);
    const missing = await ask("/nothing/here");
    expect(missing.status).toBe(404);
    expect(missing.text).toContain("<h1>Not here</h1>");
    expect(missing.text).toContain(`href="${base}/"`);
  });

  it("abuse 19: every answer forbids all but the preview's own files", async () => {
    const prefix = await ticketed();
    const host = new URL(app.url).host;
    const origins = ["http://localhost:3000", `http://${host}`];
    const policy = previewPolicy(origins, runId, []);
    const filePolicy = previewFilePolicy(origins, runId);
    expect(filePolicy).toMatch(/^sandbox; default-src 'none'; /);
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; /);
    expect(policy).toContain(`connect-src http://localhost:3000${base}/ http://${host}${base}/;`);
    for (const path of ["/", "/_astro/a.css", "/_astro/a.js", "/media/a.mp4", "/nothing"]) {
      const isPage = ["/", "/nothing"].includes(path);
      const { headers } = await (isPage ? ask(path) : app.ask(prefix + path, anonymous));
      expect(headers).toMatchObject({
        "content-security-policy": isPage ? policy : filePolicy,
        "connection-allowlist": "(response-origin)",
        "permissions-policy": expect.stringContaining("payment=()"),
        "cross-origin-opener-policy": "unsafe-none",
        ...(!isPage && {
          "cross-origin-resource-policy": "cross-origin",
          "access-control-allow-origin": "*",
        }),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
      expect(headers).not.toHaveProperty("set-cookie");
    }
    expect((await ask("/")).headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("abuse 154: inline scripts run by their hash, and none that could be rules for fetching ahead", async () => {
    const { artifactSha } = await app.runs.getPreview(runId);
    const dir = join(app.paths.artifacts, artifactSha);
    const before = await readFile(`${dir}.json`, "utf8");
    const manifest = JSON.parse(before) as { files: Record<string, object> };
    const rules = '{"prefetch":[{"urls":["https://example.com/"]}]}';
    const program = 'import "/_astro/b.js"';
    const map = '{"imports":{"b":"/_astro/b.js"}}';
    const page = [
      `<script type="speculationrules">${rules}</script><script>${rules}</script>`,
      `<script type="importmap">${rules}</script><script type="application/ld+json">{}</script>`,
      `<script type="importmap">${map}</script><script type="module">${program}</script>`,
    ].join("");
    manifest.files["/inline/"] = { ...manifest.files["/about/"], file: "inline.html", bytes: 1 };
    await writeFile(join(dir, "inline.html"), page);
    await writeFile(`${dir}.json`, JSON.stringify(manifest));
    const { headers, text: shown } = await ask("/inline/");
    await writeFile(`${dir}.json`, before);
    const [, prefix = ""] = /import "(\/_preview\/[^"]*)\/_astro\/b\.js"/.exec(shown) ?? [];
    const sent = program.replace("/_astro", `${prefix}/_astro`);
    const source = (text: string) =>
      `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const [, sources = ""] =
      /script-src ([^;]*);/.exec(String(headers["content-security-policy"])) ?? [];
    expect(sources.split(" ").slice(2)).toEqual([source(sent), source(map), "'wasm-unsafe-eval'"]);
  });

  it("abuse 153: a page in a tab of its own is held in a frame that can't be led away", async () => {
    const inTab = { "sec-fetch-dest": "document" };
    const shell = await ask("/about/?x=1", inTab);
    expect(shell.status).toBe(200);
    const [, address = ""] =
      /<iframe\s[^>]*\bsrc="([^"]*)"\s+sandbox="allow-scripts"/.exec(shell.text) ?? [];
    expect(address).toBe(`${base}/about/?x=1`);
    const policy = String(shell.headers["content-security-policy"]);
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; frame-src /,
    );
    for (const [element, kind] of [
      ["script", "script"],
      ["style", "style"],
    ] as const) {
      const [, text = ""] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(shell.text) ?? [];
      const source = createHash("sha256").update(text).digest("base64");
      expect(policy).toContain(`${kind}-src 'sha256-${source}'`);
    }
    expect(
      /frame-src ([^;]*);/
        .exec(policy)?.[1]
        ?.split(" ")
        .map((one) => new URL(one).pathname),
    ).toEqual([`${base}/`, `${base}/`]);
    const framed = await app.ask(address, { headers: { "sec-fetch-dest": "iframe" } });
    expect(framed.text).toContain("Home</a>");
    // What is no page is opened as it is.
    expect((await ask("/media/a.mp4", inTab)).headers["content-length"]).toBe("1000");
  });

  it("names a foreign host in no policy", async () => {
    const { headers } = await ask("/", { "x-vitrine-host": "evil.example; script-src *" });
    expect(headers["content-security-policy"]).not.toContain("evil");
  });

  it("abuse 20: is private and never stored, whatever it answers", async () => {
    for (const path of [
      "/",
      "/_astro/a.css",
      "/media/a.mp4",
      "/nothing",
      "/about",
      "/%2e%2e/x",
      "",
    ]) {
      const cacheControl = String((await ask(path)).headers["cache-control"]);
      expect([path, cacheControl]).toEqual([path, expect.stringMatching(/no-store$/)]);
    }
    expect((await ask("/")).headers["cache-control"]).toBe("private, no-store");
  });

  it.each([
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/%252e%252e/x",
    "//etc/passwd",
    "/about//",
    "/./about/",
    "/.git/config",
    "/.store/x",
    "/index.html%00.css",
    "/about\\..\\index.html",
    "/INDEX.HTML",
    "/__proto__",
    "/constructor",
    "/about/index.html",
  ])("abuse 18: %s is never answered with a file", async (path) => {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, response.status === 400 ? 400 : 404]);
  });

  it("abuse 24: a ticket opens files of its own run only, for minutes, and dies with the session", async () => {
    const prefix = await ticketed();
    const file = "/_astro/a.css";
    const other = await app.edit(
      scriptedAgent((context) => writeFile(join(context.root, "app/src/pages/about.html"), "x")),
    );
    expect((await app.ask(prefix + file, anonymous)).status).toBe(200);
    const moved = prefix.replace(runId, other);
    expect((await app.ask(moved + file, anonymous)).status).toBe(401);
    expect((await app.ask(`${prefix}x${file}`, anonymous)).status).toBe(401);
    const post = await app.ask(prefix + file, { method: "POST", ...anonymous });
    expect(post.status).toBe(401);
    const cookie = await app.admin.signIn();
    const theirs = await app.ask(`${base}/`, { headers: { cookie } });
    const [, short = ""] = /href="(\/_preview\/[^"]*?)\/_astro\/a\.css"/.exec(theirs.text) ?? [];
    expect((await app.ask(short + file, anonymous)).status).toBe(200);
    await app.admin.ask("/api/adminauth/logout", { method: "POST", headers: { cookie } });
    expect((await app.ask(short + file, anonymous)).status).toBe(401);
    await app.runs.discard(other);
    expect((await app.ask(`/_preview/${other}/`)).status).toBe(404);
    app.admin.clock.advance(10 * 60_000);
    expect((await app.ask(prefix + file, anonymous)).status).toBe(401);
    expect((await app.ask((await ticketed()) + file, anonymous)).status).toBe(200);
  });

  it("abuse 24: without a session no ticket opens a page, whatever its address", async () => {
    const prefix = await ticketed();
    const { artifactSha } = await app.runs.getPreview(runId);
    const { files: built } = await readManifest(join(app.paths.artifacts, `${artifactSha}.json`));
    const assets = new Set(["/_astro/a.css", "/_astro/a.js", "/_astro/b.js", "/media/a.mp4"]);
    const paths = [...Object.keys(built), "/about", "/nothing", "/nothing.css", "/.source-tags"];
    for (const path of paths.map(encodeURI)) {
      for (const address of [base + path, prefix + path]) {
        const answer = await app.ask(address, anonymous);
        const opens = address.startsWith(prefix) && assets.has(path);
        const refused = address.startsWith(prefix) && path === "/nothing.css" ? 404 : 401;
        expect([address, answer.status]).toEqual([address, opens ? 200 : refused]);
        expect(opens || answer.json().ok === false).toBe(true);
      }
      for (const dest of ["document", "iframe", "frame", "embed", "object"]) {
        const headers = { cookie: "", "sec-fetch-dest": dest };
        expect([path, (await app.ask(prefix + path, { headers })).status]).toEqual([path, 401]);
      }
    }
  });

  it("says where elements come from, and brings the console's script", async () => {
    const { artifactSha } = await app.runs.getPreview(runId);
    const dir = join(app.paths.artifacts, artifactSha);
    const page = files["about/index.html"] as string;
    const key = pageKey(createHash("sha256").update(page).digest("hex"));
    const header = { files: ["app/src/pages/about.astro"], tags: [0, 7, 3] };
    await writeFile(tagFileOf(dir), `${JSON.stringify(header)}\n${key} 2,0\n`);
    const about = await ask("/about/");
    const [, prefix = ""] = / src="([^"]*)\/_vitrine\/frame\.js"/.exec(about.text) ?? [];
    expect(about.text).toBe(
      `<a data-source="app/src/pages/about.astro:7:3" href="${base}/">Home</a>` +
        `<script defer src="${prefix}/_vitrine/frame.js"></script>`,
    );
    const script = await app.ask(`${prefix}/_vitrine/frame.js`, anonymous);
    expect([script.status, script.text]).toEqual([200, "// frame"]);
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect((await ask("/")).text).not.toContain("data-source");
    expect((await ask("/.source-tags")).status).toBe(404);
  });

  it("shows what is live under the same rules, once something is", async () => {
    const live = () => app.ask("/_preview/live/");
    expect((await live()).status).toBe(404);
    const runs = await app.edit(
      scriptedAgent((context) => writeFile(join(context.root, "app/src/pages/live.html"), "<p>")),
    );
    await app.runs.publish(runs);
    const page = await live();
    expect([page.status, page.headers["content-security-policy"]]).toEqual([
      200,
      expect.stringContaining("/_preview/live/;"),
    ]);
    const prefix = /src="(\/_preview\/live\/~[^/]+)\//.exec(page.text)?.[1] ?? "";
    const style = "/_astro/a.css";
    expect((await app.ask(prefix + style, anonymous)).status).toBe(404);
    expect((await app.ask(`${prefix}/_vitrine/frame.js`, anonymous)).status).toBe(200);
    expect((await app.ask(prefix.replace("live", runId) + style, anonymous)).status).toBe(401);
    expect((await app.ask(`${prefix}/`, anonymous)).status).toBe(401);
    expect((await app.ask(`/_preview/live/`, anonymous)).status).toBe(401);
  });

  it("shows the very bytes that go live", async () => {
    const { artifactSha } = await app.runs.getPreview(runId);
    const hashOf = async (path: string) =>
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex");
    const previewed = Object.keys(files).map((file) =>
      join(app.paths.artifacts, artifactSha, file),
    );
    const before = await Promise.all(previewed.map(hashOf));
    await app.runs.publish(runId);
    const live = Object.keys(files).map((file) => join(app.paths.current, file));
    expect(await Promise.all(live.map(hashOf))).toEqual(before);
    expect((await app.runs.get(runId)).status).toBe("published");
  });
});
