import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../platform/log.ts";
import { type AppServer, createHttpServer } from "../../platform/http/server.ts";
import { loadConsoleAssets } from "./console-assets.ts";
import { managePages } from "./manage-pages.ts";
import type { PanelOverview, PanelRun } from "./overview-page.ts";
import { registerAdminPages } from "./pages.ts";
import { foreignAddresses } from "../../../../../test/support/addresses.ts";

const script = "export const pill = 1;\n".repeat(20);
let dir: string;
const apps: AppServer[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "console-assets-"));
  const manifest = {
    "src/admin.ts": { file: "admin-abc.js", css: ["admin-abc.css"], assets: ["text-abc.woff2"] },
    "src/manage.tsx": { file: "manage-abc.js", css: ["manage-abc.css"], imports: ["_react.js"] },
    "_react.js": { file: "react-abc.js" },
    "src/manage/media/MediaPage.tsx": {
      file: "media-abc.js",
      css: ["media-abc.css"],
      imports: ["_react.js", "src/manage.tsx"],
    },
  };
  writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(dir, "admin-abc.js"), script);
  writeFileSync(join(dir, "admin-abc.js.br"), brotliCompressSync(script));
  writeFileSync(join(dir, "admin-abc.css"), "body{}");
  writeFileSync(join(dir, "text-abc.woff2"), "font");
});

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  rmSync(dir, { recursive: true });
});

const news: PanelOverview["news"] = {
  attention: [],
  queue: { running: 0, queued: 0 },
  since: null,
  news: [],
  cost: null,
  unavailable: [],
};
const empty: PanelOverview = {
  runs: { live: null, waiting: null, recent: [] },
  setup: { open: [], start: null },
  news,
  health: null,
};
/** The text of a page. */
const readText = (body: string) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

function panelRun(extra: Partial<PanelRun>): PanelRun {
  return {
    id: "01J",
    instruction: "Make the title shorter",
    status: "published",
    pageUrl: "/about/",
    commit: "4f1c9a2be0d1",
    previewUrl: null,
    filesChanged: [{ path: "app/src/pages/about.astro" }],
    task: null,
    createdAt: "2026-11-21T05:52:25.123Z",
    finishedAt: "2026-11-21T05:53:25.123Z",
    ...extra,
  };
}

function server(options: {
  signedIn?: boolean;
  hasPassword?: boolean;
  hasSites?: boolean;
  overview?: () => Promise<PanelOverview>;
}) {
  const log = createLog({ level: "silent", name: "test" });
  const app = createHttpServer({ log, name: "test", secure: false });
  const now = "2026-11-21T05:52:25.123Z";
  registerAdminPages(app, {
    assets: loadConsoleAssets(dir),
    site: {
      ownerName: "Mara <Lindqvist>",
      timeZone: "Europe/Stockholm",
      hasSites: options.hasSites ?? true,
    },
    findSession: async () =>
      options.signedIn ? { createdAt: now, expiresAt: now, ip: "127.0.0.1" } : null,
    hasPassword: async () => options.hasPassword ?? true,
    overview: options.overview ?? (async () => empty),
    uploads: { imageMiB: 40, videoMiB: 400 },
  });
  apps.push(app);
  return app;
}

test("a signed-out visitor gets a form that works without JavaScript and nothing of the overview", async () => {
  const response = await server({}).inject("/admin");
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain('<form method="post" action="/admin/login"');
  expect(response.body).toMatch(/<label for="password">.*autocomplete="current-password"/s);
  expect(response.body).toContain('<meta name="robots" content="noindex, nofollow"');
  expect(response.body).not.toContain('role="alert"');
  expect(response.body).not.toContain("/admin/logout");
  expect(response.body).toContain("Mara &lt;Lindqvist&gt;");
});

test("?e=1 says that signing in failed", async () => {
  const response = await server({}).inject("/admin?e=1");
  expect(response.body).toMatch(/role="alert"[^>]*>\s*<b>You aren’t signed in/);
  expect((await server({}).inject("/admin?e=2")).body).not.toContain('role="alert"');
});

test("without a password, the sign-in page explains how to get a link", async () => {
  for (const address of ["/admin", "/admin?e=1"]) {
    const { body } = await server({ hasPassword: false }).inject(address);
    expect(body).not.toContain("<form");
    expect(body).not.toContain('type="password"');
    expect(body).toContain("<code>vitrine set-admin-token</code>");
  }
  const { body } = await server({ hasPassword: false }).inject("/admin?e=1");
  expect(body).toMatch(/role="alert"[^>]*>\s*<b>You aren’t signed in.<\/b> The link is wrong/);
});

test("the page isn't stored or framed and runs no inline script", async () => {
  for (const signedIn of [false, true]) {
    const response = await server({ signedIn }).inject("/admin");
    const policy = String(response.headers["content-security-policy"]);
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.headers["x-robots-tag"]).toContain("noindex");
    expect(response.headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(response.body).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/);
  }
});

test("the overview escapes what is live, what waits, and what was asked", async () => {
  const waiting = panelRun({
    id: "02J",
    status: "preview_ready",
    previewUrl: "/_preview/02J/",
    instruction: "<script>alert(1)</script>",
  });
  const overview = async (): Promise<PanelOverview> => ({
    runs: { live: panelRun({}), waiting, recent: [waiting, panelRun({})] },
    setup: { open: [], start: null },
    news: {
      ...news,
      attention: [
        {
          kind: "review",
          count: 2,
          text: "2 <tasks> wait",
          href: "/admin/tasks?column=needs_review",
        },
        { kind: "errors", count: 3, text: "3 errors", href: "/admin/qa?severity=error" },
      ],
      queue: { running: 1, queued: 2 },
    },
    health: { status: "degraded", checks: { model: { status: "degraded", note: "none" } } },
  });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  expect(body).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(body).not.toContain("<script>alert");
  expect(body).toContain('href="/about/#console"');
  expect(body).toContain('href="/#console"');
  expect(body).toContain("4f1c9a2");
  expect(body).toContain("21 Nov 2026, 06:53");
  expect(body).toMatch(/<a class="skip" href="#main">.*<main id="main"/s);
  expect(body).toContain('href="/_preview/02J/"');
  expect(readText(body)).toContain("2 &lt;tasks&gt; wait 3 errors 1 task running, 2 queued");
  expect(body).toContain('href="/admin/qa?severity=error"');
  expect(body).toContain("Working with limitations");
  expect(body).toContain("Model: none");
  expect(body).toContain('<form method="post" action="/admin/logout">');
});

test("with nothing to do the overview says so, unless a part can't be read", async () => {
  const quiet = await server({ signedIn: true }).inject("/admin");
  expect(readText(quiet.body)).toContain("Nothing needs your attention.");
  expect(readText(quiet.body)).toContain("This is your first visit.");
  const overview = async (): Promise<PanelOverview> => ({
    ...empty,
    news: { ...news, unavailable: ["messages", "QA"] },
  });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  expect(readText(body)).toContain("Couldn’t load: messages, QA.");
  expect(readText(body)).not.toContain("Nothing needs your attention.");
});

test("the overview shows what is new since the last visit and what it cost", async () => {
  const took = (tokens: number, cost: number | null) => ({ tokens, cost });
  const overview = async (): Promise<PanelOverview> => ({
    ...empty,
    news: {
      ...news,
      since: "2026-11-20T10:00:00.000Z",
      news: [{ kind: "messages", count: 2, text: "2 new messages", href: "/admin/messages" }],
      cost: {
        currency: "EUR",
        month: { runs: took(1500, 1.25), tasks: took(500, null), other: took(0, null) },
        ceiling: { tokens: null, cost: 20 },
        sinceVisit: { runs: took(0, null), tasks: took(500, 0.004), other: took(0, null) },
      },
    },
  });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  const text = readText(body);
  expect(body).toContain('<a href="/admin/messages">2 new messages</a>');
  expect(text).toContain("You were last here 20 Nov 2026, 11:00 .");
  expect(text).toContain("€1.25, 2,000 tokens Runs: €1.25, 1,500 tokens · Tasks: 500 tokens");
  expect(text).toContain("Monthly limit: €20.00");
  expect(text).toContain("Since your last visit €0.0040, 500 tokens");
});

test("the rest of the overview is shown if runs can't be read", async () => {
  const attention = [{ kind: "messages", count: 1, text: "1 unread message", href: "/x" }];
  const overview = async () => ({ ...empty, runs: null, news: { ...news, attention } });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  expect(body).toContain("1 unread message");
  expect(body).toContain("can’t be loaded right now");
});

test("a page address of another site isn't linked", async () => {
  const waiting = panelRun({ status: "preview_ready", pageUrl: "//evil.example/" });
  const overview = async () => ({ ...empty, runs: { live: null, waiting, recent: [waiting] } });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  expect(body).not.toContain("evil.example");
});

test("a task's preview links to the task, however many runs follow", async () => {
  const waiting = panelRun({ status: "preview_ready", task: { id: 41 } });
  const overview = async () => ({
    ...empty,
    runs: { live: null, waiting, recent: [panelRun({})] },
  });
  const { body } = await server({ signedIn: true, overview }).inject("/admin");
  expect(body).toContain('href="/admin/tasks?task=41"');
  expect(body).not.toContain('href="/about/#console"');
});

test("the overview of a new site starts with the setup", async () => {
  const open = [{ label: "Choose a password", href: "/admin/password" }];
  const setup = { open, start: "/admin/password" };
  const { body } = await server({
    signedIn: true,
    overview: async () => ({ ...empty, setup }),
  }).inject("/admin");
  const first = /<a class="button primary large" href="([^"]*)"/.exec(body);
  expect(first?.[1]).toBe("/admin/password");
  expect(body).toContain("Welcome to your new site");
  expect(body).not.toContain("Welcome back");
});

test("the overview lists open setup steps until there are none", async () => {
  const open = [{ label: "Choose a <theme>", href: "/admin/setup?step=theme" }];
  const setup = { open, start: null };
  const page = await server({ signedIn: true, overview: async () => ({ ...empty, setup }) }).inject(
    "/admin",
  );
  expect(page.body).toContain('<a href="/admin/setup?step=theme">Choose a &lt;theme&gt;</a>');
  const done = await server({
    signedIn: true,
    overview: async () => ({ ...empty, setup: { open: [], start: null } }),
  }).inject("/admin");
  expect(done.body).not.toContain("Finish setting up");
});

test("if the overview can't be read, the page still opens and says so", async () => {
  const overview = () => Promise.reject(new Error("database is locked"));
  const response = await server({ signedIn: true, overview }).inject("/admin");
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain("can’t be loaded right now");
  expect(response.body).toContain("/admin/logout");
  expect(response.body).not.toContain("database is locked");
});

test("assets are served compressed, immutable, and only by their exact names", async () => {
  const app = server({});
  const plain = await app.inject("/admin/assets/admin-abc.js");
  expect(plain.body).toBe(script);
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(plain.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  const small = await app.inject({
    url: "/admin/assets/admin-abc.js",
    headers: { "accept-encoding": "gzip;q=0.5, br" },
  });
  expect(small.headers["content-encoding"]).toBe("br");
  expect(small.headers.vary).toBe("accept-encoding");
  const refused = { "accept-encoding": "br;q=0" };
  const none = await app.inject({ url: "/admin/assets/admin-abc.js", headers: refused });
  expect(none.headers["content-encoding"]).toBeUndefined();
  const again = await app.inject({
    url: "/admin/assets/admin-abc.js",
    headers: { "if-none-match": String(plain.headers.etag) },
  });
  expect(again.statusCode).toBe(304);
  for (const name of ["manifest.json", "..%2fmanifest.json", "%2e%2e/x", "admin-abc.js.br", ""]) {
    expect((await app.inject(`/admin/assets/${name}`)).statusCode).toBe(404);
  }
});

describe("an unknown address below /admin/", () => {
  const open = (signedIn: boolean, url = "/admin/projekts/4?x=1") =>
    server({ signedIn }).inject({ url, headers: { accept: "text/html,*/*;q=0.8" } });

  test("shows the owner a page with the navigation and a way back", async () => {
    const response = await open(true);
    expect(response.statusCode).toBe(404);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(response.body).toContain("<h1>Page not found</h1>");
    expect(response.body).toContain('href="/admin">Go to the overview</a>');
    expect(response.body).toContain('aria-label="Admin"');
    expect(response.body).not.toContain("aria-current");
  });

  test("shows everyone else a page that leads to the site and to the sign-in", async () => {
    const response = await open(false);
    expect(response.statusCode).toBe(404);
    expect(response.body).toContain("<h1>Page not found</h1>");
    expect(response.body).toContain('<a href="/">Go to the home page</a>');
    expect(response.body).toContain('<a href="/admin">Sign in</a>');
    expect(response.body).not.toContain('aria-label="Admin"');
  });

  test("gives other clients JSON", async () => {
    for (const accept of [undefined, "application/json", "*/*"]) {
      const response = await server({ signedIn: true }).inject({
        url: "/admin/projekts",
        headers: { ...(accept !== undefined && { accept }) },
      });
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ error: { code: "not_found" } });
    }
  });
});

test("without a built console, the form still works", async () => {
  rmSync(join(dir, "manifest.json"));
  const response = await server({}).inject("/admin");
  expect(response.body).toContain('action="/admin/login"');
  expect(response.body).not.toContain("<script");
});

test("the pages for records and media need the owner's session and name themselves", async () => {
  const app = server({ signedIn: true });
  for (const [address, name, current] of [
    ["/admin/projects", "projects", "/admin/projects"],
    ["/admin/projects/edit?id=4", "project", "/admin/projects"],
    ["/admin/projects/new", "new-project", "/admin/projects"],
    ["/admin/media?q=%C3%A5&page=2", "media", "/admin/media"],
    ["/admin/changelog", "changelog", "/admin/changelog"],
  ] as const) {
    const response = await app.inject(address);
    expect(response.statusCode).toBe(200);
    expect(response.body).toMatch(new RegExp(`<main\\s+id="manage"[^>]*data-page="${name}"`));
    expect(response.body).toMatch(new RegExp(`<a\\s+href="${current}"\\s+aria-current="page"`));
    expect(response.body.match(/aria-current/g)).toHaveLength(1);
    expect(response.body).toContain("<noscript>");
    expect(response.body).toContain('data-image-mib="40"');
    expect(response.body).toContain("Mara &lt;Lindqvist&gt;");
    expect(response.headers["cache-control"]).toBe("no-store");
    const policy = String(response.headers["content-security-policy"]);
    expect(policy).toContain(
      "img-src 'self' data: blob:; media-src 'self' blob:; frame-src 'self'",
    );
    expect(policy).toContain("script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  }
});

test("a page preloads the chunks that its script loads next, each once", async () => {
  const { body } = await server({ signedIn: true }).inject("/admin/media");
  expect(body).toContain('<script type="module" src="/admin/assets/manage-abc.js">');
  expect(body.match(/rel="modulepreload" href="[^"]+"/g)).toEqual([
    'rel="modulepreload" href="/admin/assets/react-abc.js"',
    'rel="modulepreload" href="/admin/assets/media-abc.js"',
  ]);
  expect(body.match(/rel="stylesheet" href="[^"]+"/g)).toEqual([
    'rel="stylesheet" href="/admin/assets/manage-abc.css"',
    'rel="stylesheet" href="/admin/assets/media-abc.css"',
  ]);
});

test("signed-out visitors are redirected to the form, which leads back", async () => {
  const app = server({});
  const response = await app.inject("/admin/projects/edit?id=4");
  expect(response.statusCode).toBe(302);
  expect(response.headers.location).toBe("/admin?next=%2Fadmin%2Fprojects%2Fedit%3Fid%3D4");
  expect(response.headers["cache-control"]).toBe("no-store");
  const form = await app.inject(String(response.headers.location));
  expect(form.body).toContain('name="next" value="/admin/projects/edit?id=4"');
  const odd = await app.inject(`/admin/media?q=${"a".repeat(600)}`);
  expect(odd.headers.location).toBe("/admin?next=%2Fadmin%2Fmedia");
  const signedIn = await server({ signedIn: true }).inject("/admin?next=%2Fadmin%2Fmedia");
  expect([signedIn.statusCode, signedIn.headers.location]).toEqual([302, "/admin/media"]);
});

test.each(managePages.map(({ address }) => address))(
  "after signing in, the owner returns to %s",
  async (address) => {
    const sent = await server({}).inject(`${address}?id=4`);
    const next = `/admin?next=${encodeURIComponent(`${address}?id=4`)}`;
    expect([sent.statusCode, sent.headers.location]).toEqual([302, next]);
    const back = await server({ signedIn: true }).inject(next);
    expect([back.statusCode, back.headers.location]).toEqual([302, `${address}?id=4`]);
  },
);

test("a further site has no page of sites, and no link to one", async () => {
  const own = await server({ signedIn: true }).inject("/admin/media");
  expect(own.body).toContain('href="/admin/sites"');
  const further = server({ signedIn: true, hasSites: false });
  expect((await further.inject("/admin/media")).body).not.toContain("/admin/sites");
  expect((await further.inject("/admin")).body).not.toContain("/admin/sites");
  expect((await further.inject("/admin/sites")).statusCode).toBe(404);
});

test("the sign-in page leads back only to admin pages", async () => {
  for (const next of foreignAddresses) {
    for (const signedIn of [true, false]) {
      const response = await server({ signedIn }).inject({ url: "/admin", query: { next } });
      expect([next, response.statusCode]).toEqual([next, 200]);
      expect(response.body).not.toContain('name="next"');
    }
  }
  const twice = await server({}).inject("/admin?next=/admin/media&next=/admin/media");
  expect(twice.statusCode).toBe(200);
});

test("every page also works with a trailing slash, before and after sign-in", async () => {
  const signedIn = server({ signedIn: true });
  for (const address of ["/admin", ...managePages.map((page) => page.address)]) {
    const [plain, slashed] = await Promise.all([
      signedIn.inject(address),
      signedIn.inject(`${address}/`),
    ]);
    expect([address, slashed.statusCode, slashed.body]).toEqual([address, 200, plain.body]);
  }
  expect((await server({}).inject("/admin/")).body).toContain('action="/admin/login"');
  const signIn = await server({}).inject("/admin/projects/edit/?id=4");
  expect(signIn.headers["location"]).toBe("/admin?next=%2Fadmin%2Fprojects%2Fedit%3Fid%3D4");
});
