import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type MembersSite,
  type RawAnswer,
  startMembersSite,
} from "../../../../../test/support/members-site.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { listBuilds } from "./build-store.ts";
import type { MembersBuildOutcome } from "./member-builds.ts";

const guest = "guest@client.example";

let site: MembersSite;
/** The addresses of stored files, by name. */
let media: Record<"members" | "nda" | "body" | "film" | "shared" | "open", string>;
let ids: Record<"members" | "nda" | "open", number>;
/** Those that only the restricted projects show. */
let hidden: string[];
/** What the first looks for members' builds came to: before the first release, after it, and again. */
let checks: MembersBuildOutcome[];
let as: Record<"nobody" | "member" | "guest" | "unverified", Record<string, string>>;

/** Words of the restricted projects that no public byte may have. */
const words = ["quokka", "wombat", "lighthouse-q", "falcon-w"];

async function addProjects(): Promise<void> {
  media = {
    members: await site.addMedia("quokka-one"),
    nda: await site.addMedia("wombat-one"),
    body: await site.addMedia("wombat-two"),
    film: await site.addMedia("wombat-film", "video"),
    shared: await site.addMedia("shared"),
    open: await site.addMedia("open"),
  };
  const base = { status: "published" as const, categories: ["Interfaces"] };
  const { projects } = site;
  const open = await projects.create({
    ...base,
    name: "Open harbour",
    gallery: [media.open, media.shared].map((src) => ({ src, caption: "" })),
  });
  const members = await projects.create({
    ...base,
    name: "Quokka light",
    slug: "lighthouse-q",
    audience: "members",
    categories: ["Quokka things"],
    summary: "A quokka summary",
    body: "The quokka body.",
    gallery: [{ src: media.members, caption: "quokka caption" }],
  });
  const nda = await projects.create({
    ...base,
    name: "Wombat falcon",
    slug: "falcon-w-old",
    audience: "invited",
    lede: "The wombat lede",
    body: `Wombat text.\n\n![wombat](${media.body})`,
    gallery: [media.nda, media.film, media.shared].map((src) => ({ src, caption: "wombat" })),
  });
  await projects.save({ id: nda.id, version: nda.version, slug: "falcon-w" });
  ids = { members: members.id, nda: nda.id, open: open.id };
  const poster = (src: string) => src.replace(".mp4", "-poster.webp");
  const small = (src: string) => src.replace(".webp", "-480.webp");
  hidden = [media.members, media.nda, media.body].flatMap((src) => [src, small(src)]);
  hidden.push(media.film, poster(media.film));
}

/** Has the résumé name them, too, as one does that was imported together with its case studies. */
async function nameInResume(): Promise<void> {
  const { paths, git } = site.instance;
  const file = join(paths.content, "app/src/content/resume.json");
  const texts = JSON.parse(await readFile(file, "utf8")) as { resume: object };
  const projects = [
    { name: "Quokka Light", description: "A quokka of the résumé", url: "https://wombat.example/" },
    { name: " wombat  falcon", highlights: ["Wombats counted"] },
    { name: "Open Harbour", description: "Said of the harbour" },
    { name: "Arrow type", description: "Nowhere but here" },
  ];
  await writeFile(file, JSON.stringify({ ...texts, resume: { ...texts.resume, projects } }));
  await git("commit", "--quiet", "--all", "--message", "The résumé names them");
}

/** What the public résumé calls projects that are no sample. */
async function resumeNames(): Promise<string[]> {
  const { body } = await site.get("/resume.json");
  const { projects } = JSON.parse(body.toString()) as { projects: { name: string }[] };
  return projects.map(({ name }) => name).filter((name) => /quokka|wombat|open|arrow/i.test(name));
}

async function rebuild(): Promise<void> {
  site.clock.advance(10_000);
  if ((await site.rebuilder.runOnce()) !== "done") throw new Error("The rebuild failed.");
}

beforeAll(async () => {
  site = await startMembersSite();
  await addProjects();
  await nameInResume();
  checks = [await site.builds.runOnce()];
  await rebuild();
  checks.push(await site.builds.runOnce(), await site.builds.runOnce());
  await site.members.invite({
    projectId: ids.nda,
    emails: [guest, "slow@client.example"],
    note: "",
  });
  as = {
    nobody: {},
    member: await site.signIn("somebody@example.com"),
    guest: await site.signIn(guest),
    unverified: await site.signIn("slow@client.example", { verified: false }),
  };
}, 120_000);
afterAll(() => site?.[Symbol.asyncDispose]());

/** All files of the release that visitors see, with its manifest, by path, out of their encodings. */
async function publicFiles(): Promise<Map<string, Buffer>> {
  const { paths } = site.instance;
  const files = new Map<string, Buffer>();
  for (const path of await readdir(paths.releases, { recursive: true })) {
    const file = join(paths.releases, path);
    if (!(await lstat(file)).isFile()) continue;
    const bytes = await readFile(file);
    const opened = path.endsWith(".br")
      ? brotliDecompressSync(bytes)
      : /\.(?:gz|pf_(?:fragment|index|meta))$/.test(path)
        ? gunzipSync(bytes)
        : bytes;
    files.set(path, opened);
  }
  return files;
}

function expectNoWord(place: string, bytes: Buffer, forbidden = words): void {
  const text = bytes.toString("latin1").toLowerCase();
  expect([place, forbidden.filter((word) => text.includes(word))]).toEqual([place, []]);
}

const timed = new Set(["date", "x-request-id", "connection", "keep-alive"]);

/** An answer without what every answer has anew. */
function comparable({ status, headers, body }: RawAnswer) {
  const retained = Object.entries(headers).filter(([name]) => !timed.has(name));
  return { status, headers: Object.fromEntries(retained), body: body.toString("base64") };
}

/**
 * By what somebody could tell an address from one that is nowhere: the ways of asking for which the
 * answers differ, or are no 404.
 */
async function distinguished(paths: string[], who: Record<string, string>): Promise<string[]> {
  const reported: string[] = [];
  for (const path of paths) {
    const nowhere = path.startsWith("/media/") ? "/media/2026/nothing.webp" : "/projects/nothing/";
    for (const [method, more] of [
      ["GET", {}],
      ["HEAD", {}],
      ["GET", { range: "bytes=0-9" }],
      ["GET", { "if-none-match": "*", "accept-encoding": "br" }],
      ["GET", { "if-range": '"x"', range: "bytes=0-0" }],
    ] as const) {
      const headers = { ...who, ...more };
      const there = comparable(await site.get(path, headers, method));
      const unknown = comparable(await site.get(nowhere, headers, method));
      const isSame = there.status === 404 && isDeepStrictEqual(there, unknown);
      if (!isSame) reported.push(`${method} ${path} ${JSON.stringify(more)}`);
    }
  }
  return reported;
}

describe("what is public", () => {
  test("the public site is built first, and members' builds only if they have changed", () => {
    expect(checks).toEqual(["waiting", "looked", "unchanged"]);
  });

  test("no byte of the release on disk reveals a restricted project", async () => {
    const files = await publicFiles();
    const hashes = new Set<string>();
    for (const src of hidden) {
      const { content } = site.instance.paths;
      hashes.add(sha256Hex(await readFile(join(content, mediaFolder, "..", src))));
    }
    expect(hashes.size).toBe(8);
    expect([...files.keys()].filter((path) => path.endsWith(media.shared))).toHaveLength(1);
    for (const [path, bytes] of files) {
      expectNoWord(path, Buffer.concat([Buffer.from(path), bytes]));
      expect([path, hashes.has(sha256Hex(bytes))]).toEqual([path, false]);
    }
  });

  test("no public address reveals it: pages, feeds, lists, and everything a page could link to", async () => {
    const { files } = await readManifest(`${site.instance.paths.releases}/1.json`);
    const listed = Object.keys(files);
    for (const one of ["/sitemap-0.xml", "/rss.xml", "/llms.txt", "/projects/", "/resume.json"]) {
      expect(listed).toContain(one);
    }
    for (const path of listed.filter((one) => !one.startsWith("/media/"))) {
      const { status, body } = await site.get(encodeURI(path));
      expect([path, status]).toEqual([path, path === "/404.html" ? 404 : 200]);
      expectNoWord(path, body);
    }
    expect((await site.get(media.shared)).status).toBe(200);
    expect((await resumeNames()).toSorted()).toEqual(["Arrow type", "Open harbour"]);
  });

  test("without a session, an existing restricted page looks like a missing one", async () => {
    const paths = ["/projects/lighthouse-q/", "/projects/falcon-w/", "/projects/falcon-w-old/"];
    expect(await distinguished([...paths, ...hidden], as.nobody)).toEqual([]);
    const forged = { cookie: `__Host-vitrine_account=${"x".repeat(43)}` };
    expect(await distinguished(paths, forged)).toEqual([]);
  });
});

describe("who can see it", () => {
  test("invited people see the page with its images and video, uncached", async () => {
    const page = await site.get("/projects/falcon-w/", as.guest);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex, nofollow",
      "cross-origin-resource-policy": "same-origin",
      vary: "Cookie, Accept-Encoding",
    });
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    const html = page.body.toString();
    expect(html).toContain("Wombat falcon");
    // What another client's, or the members', is called stands on no page of this one.
    expectNoWord("page", page.body, ["quokka", "lighthouse-q"]);
    const named = [...new Set(html.match(/\/(?:media|_astro)\/[\w./-]+/g))];
    expect(named).toEqual(expect.arrayContaining([media.nda, media.body, media.film]));
    for (const path of named) {
      const { status } = await site.get(path, as.guest);
      expect([path, status]).toEqual([path, 200]);
    }
    const part = await site.get(media.film, { ...as.guest, range: "bytes=6-8" });
    expect([part.status, part.body.toString()]).toEqual([206, "of "]);
    expect(part.headers["cache-control"]).toBe("private, no-store");
    const moved = await site.get("/projects/falcon-w-old/?a=1", as.guest);
    expect([moved.status, moved.headers["location"]]).toEqual([307, "/projects/falcon-w/"]);
    expect(moved.headers["cache-control"]).toBe("private, no-store");
  });

  test("a member sees members' projects and nothing that others are invited to", async () => {
    const page = await site.get("/projects/lighthouse-q/", as.member);
    expect(page.status).toBe(200);
    expect(page.body.toString()).toContain("The quokka body");
    expectNoWord("page", page.body, ["wombat", "falcon-w"]);
    expect((await site.get(media.members, as.member)).status).toBe(200);
    const list = await site.get("/projects/category/quokka-things/", as.member);
    expect([list.status, list.body.toString().includes("Quokka light")]).toEqual([200, true]);
    for (const who of [as.member, as.unverified]) {
      const files = hidden.filter((src) => src.includes("wombat"));
      const pages = ["/projects/falcon-w/", "/projects/falcon-w-old/"];
      expect(await distinguished([...pages, ...files], who)).toEqual([]);
    }
  });

  test.each([
    "/projects/falcon-w",
    "/projects/falcon-w/index.html",
    "/projects/FALCON-W/",
    "/PROJECTS/falcon-w/",
    "//projects/falcon-w/",
    "/projects//falcon-w/",
    "/projects/./falcon-w/",
    "/projects/x/../falcon-w/",
    "/projects/lighthouse-q/../falcon-w/",
    "/projects/lighthouse-q/%2e%2e/falcon-w/",
    "/projects%2Ffalcon-w%2F",
    "/projects/falcon%2Dw/",
    "/projects/falcon-w%252F",
    "/projects/falcon-w/index.html.br",
    "/projects/falcon-w/%00",
    "/_astro/../projects/falcon-w/",
    "/projects/category/../falcon-w/",
  ])("abuse 18: %s opens nothing for who may not see it", async (path) => {
    for (const who of [as.nobody, as.member]) {
      const { status, body, headers } = await site.get(path, who);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers["location"]).toBeUndefined();
      expectNoWord(path, body);
    }
  });

  test("abuse 21: no header makes somebody else of a visitor", async () => {
    for (const headers of [
      { "x-original-url": "/projects/falcon-w/", "x-rewrite-url": "/projects/falcon-w/" },
      { "x-forwarded-user": guest, "x-accel-redirect": "/projects/falcon-w/" },
      { authorization: "Bearer x", "x-vitrine-key": "x" },
    ]) {
      expect(await distinguished(["/projects/falcon-w/"], { ...as.member, ...headers })).toEqual(
        [],
      );
    }
  });

  test("a different spelling of the address redirects people with access", async () => {
    for (const path of ["/projects/falcon-w", "/projects/falcon-w/index.html"]) {
      const { status, headers } = await site.get(path, as.guest);
      expect([status, headers["location"]]).toEqual([307, "/projects/falcon-w/"]);
    }
  });

  test("the owner sees everything, with the console, and isn't counted as a visit", async () => {
    for (const path of ["/projects/falcon-w/", "/projects/lighthouse-q/"]) {
      const { status, headers, body } = await site.get(path, site.owner);
      expect([status, headers["cache-control"]]).toEqual([200, "private, no-store"]);
      expect(headers["x-robots-tag"]).toBe("noindex, nofollow");
      expect(body.toString()).toContain("<!--console-->");
    }
    expect((await site.get(media.nda, site.owner)).status).toBe(200);
    const { items } = await site.members.visits({ page: 1, perPage: 25 });
    expect(items.map(({ email }) => email).toSorted()).toEqual([guest, "somebody@example.com"]);
  });

  test("a visit is counted once in half an hour, and only for pages that a person opens", async () => {
    const who = await site.signIn("counted@example.com");
    const path = "/projects/lighthouse-q/";
    const counted = async () => {
      const { items } = await site.members.visits({ projectId: ids.members, page: 1, perPage: 25 });
      return items.find(({ email }) => email === "counted@example.com")?.visits ?? 0;
    };
    await site.get(path, who, "HEAD");
    await site.get(path, { ...who, "sec-purpose": "prefetch;prerender" });
    await site.get(media.members, who);
    expect(await counted()).toBe(0);
    await site.get(path, who);
    site.clock.advance(29 * 60_000);
    await site.get(path, who);
    expect(await counted()).toBe(1);
    site.clock.advance(30 * 60_000);
    await site.get(path, who);
    expect(await counted()).toBe(2);
  });
});

// These change what there is, one after the other.
describe("changes of access", () => {
  test("a revoked invitation closes the page and its files at the next request", async () => {
    const { headers } = await site.get(media.nda, as.guest);
    const { items } = await site.members.invitations({ page: 1, perPage: 25 });
    const own = items.find(({ email }) => email === guest);
    expect(own).toMatchObject({ visits: 1, hasAccount: true });
    await site.members.revoke(own?.id ?? 0);
    expect(await distinguished(["/projects/falcon-w/", media.nda], as.guest)).toEqual([]);
    const etag = String(headers["etag"]);
    expect((await site.get(media.nda, { ...as.guest, "if-none-match": etag })).status).toBe(404);
    expect((await site.get("/projects/lighthouse-q/", as.guest)).status).toBe(200);
  });

  test("a project that changes from members to invited is closed to other members at once", async () => {
    const project = await site.projects.get({ id: ids.members });
    await site.projects.save({ ...onlyId(project), audience: "invited" });
    const gone = ["/projects/lighthouse-q/", "/projects/category/quokka-things/", media.members];
    expect(await distinguished(gone, as.member)).toEqual([]);
    const again = await site.projects.get({ id: ids.members });
    await site.projects.save({ ...onlyId(again), audience: "members", status: "draft" });
    expect(await distinguished(gone, as.member)).toEqual([]);
  });

  test("a project that becomes restricted leaves the next release with its files and is then visible to members", async () => {
    const small = media.open.replace(".webp", "-480.webp");
    expect((await site.get(media.open)).status).toBe(200);
    const project = await site.projects.get({ id: ids.open });
    await site.projects.save({ ...onlyId(project), audience: "members" });
    await site.projects.remove({ id: ids.nda });
    await rebuild();
    const gone = ["/projects/open-harbour/", media.open, small, media.shared];
    // A deleted project is none: what the résumé says of it is the owner's own word again.
    expect(await resumeNames()).toEqual([" wombat  falcon", "Arrow type"]);
    const page = (await site.get("/resume/")).body.toString();
    expect([page.includes("Arrow type"), page.includes("of the harbour")]).toEqual([true, false]);
    // What a project showed that is gone does not become public by that.
    expect(await distinguished([...gone, ...hidden], as.nobody)).toEqual([]);
    expect(await site.builds.runOnce()).toBe("looked");
    for (const path of gone) {
      expect([path, (await site.get(path, as.member)).status]).toEqual([path, 200]);
    }
    const states = (await site.members.projects()).map(({ slug, build }) => [slug, build.status]);
    expect(states).toEqual([
      ["open-harbour", "ready"],
      ["lighthouse-q", "none"],
    ]);
    const builds = await listBuilds(site.instance.database.db);
    expect(builds.map(({ name }) => name)).toEqual(["members"]);
  }, 120_000);
});

function onlyId({ id, version }: { id: number; version: number }) {
  return { id, version };
}
