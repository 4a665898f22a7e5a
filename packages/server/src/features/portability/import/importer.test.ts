import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dialects, startDialect } from "../../../../../../test/support/postgres.ts";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import {
  makeTestLibrary,
  silentLog,
  type TestLibrary,
} from "../../../../../../test/support/media-library.ts";
import { handGit, makeArtifact } from "../../../../../../test/support/publish/publish-instance.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { type InstancePaths, platformRoot } from "../../../platform/paths.ts";
import { listMedia } from "../../media/store.ts";
import { importRecords } from "../../projects/import.ts";
import { listAll, listRedirects } from "../../projects/store.ts";
import { assertNoHandEdits } from "../../release/hand-edits.ts";
import { rebuildState } from "../../release/rebuild-requests.ts";
import { makePublisher } from "../../release/publish.ts";
import type { ReleaseSource } from "../../release/stage-release.ts";
import { makeRepository, type Repository } from "../../workspace/git.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { exportAll } from "../export/export.ts";
import { makeTemporaryFolder } from "../export/temporary-folder.ts";
import { resumeFile } from "../resume/content-files.ts";
import { siteFile } from "../resume/page-texts.ts";
import { type Importer, makeImporter } from "./importer.ts";
import { readSiteIdentity } from "./site-identity.ts";
import type { ImportOptions } from "./plan.ts";

let temp: Awaited<ReturnType<typeof tempFolder>>;
const opened: AsyncDisposable[] = [];
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
  await temp.remove();
});

const template = join(platformRoot, "packages/template");
const plain: ImportOptions = {
  update: false,
  draft: false,
  withoutSamples: false,
  choice: "sure",
  resume: true,
};

interface Site {
  test: TestLibrary;
  db: Db;
  workDir: string;
  runImport(path: string, options?: Partial<ImportOptions>): ReturnType<Importer["import"]>;
  plan(path: string, options?: Partial<ImportOptions>): ReturnType<Importer["import"]>;
}

type Build = (paths: InstancePaths, workspace: Workspace) => Promise<ReleaseSource>;

const unused = () => Promise.reject(new Error("nothing is published here"));

/** A desk with a real database and a real library, and nobody who builds unless given. */
async function makeSite({ db: input, build }: { db?: Db; build?: Build } = {}): Promise<Site> {
  const library = await makeTestLibrary(input ? { db: input } : {});
  opened.push(library);
  const { database, paths } = library;
  const db = input ?? database.db;
  const workDir = join(paths.data, "import");
  const repository: Repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log: silentLog,
  });
  opened.push({ [Symbol.asyncDispose]: async () => repository.close() });
  const sample = await readSiteIdentity(template);
  await mkdir(join(paths.content, "app/src/content"), { recursive: true });
  for (const path of [resumeFile, siteFile]) {
    await writeFile(join(paths.content, path), sample[path] ?? "");
  }
  const publisher = makePublisher({
    db,
    repository,
    paths,
    clock: fakeClock(),
    log: silentLog,
    hooks: { onPublished: async () => {}, onRolledBack: async () => {} },
    addChange: async () => {},
  });
  opened.push({ [Symbol.asyncDispose]: async () => publisher.close() });
  const importer = makeImporter({
    db,
    content: paths.content,
    assertNoHandEdits: () => assertNoHandEdits(repository, paths),
    rules: { imageMiB: 1, videoMiB: 1, videoUnavailableReason: () => "no films here" },
    sample,
    shipped: await readFile(join(template, "database/projects.json"), "utf8"),
    ownerName: "Ada",
    sampleName: "Mara Lindqvist",
    onProgress() {},
    start: async () => ({
      db,
      library: library.library,
      workDir,
      own: {
        db,
        clock: fakeClock(),
        repository,
        publisher,
        build: (workspace) => (build ?? unused)(paths, workspace),
        owner: { name: "Ada", timeZone: "UTC" },
      },
      sample,
      content: paths.content,
    }),
    follow: async () => ({ error: null }),
    close: async () => {},
  });
  const run =
    (yes: boolean) =>
    (path: string, options: Partial<ImportOptions> = {}) =>
      importer.import(path, { ...plain, ...options }, yes);
  return { test: library, db, workDir, runImport: run(true), plan: run(false) };
}

async function imageBytes(color: string): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 30, channels: 3, background: color } })
    .png()
    .toBuffer();
}

async function lay(dir: string, files: Record<string, string | Uint8Array>): Promise<string> {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(join(temp.path, dir, path, ".."), { recursive: true });
    await writeFile(join(temp.path, dir, path), data);
  }
  return join(temp.path, dir);
}

const locksOf = ({ data }: { data: string }) => join(data, "exports");

const mediaOf = async ({ db }: Site) => (await listMedia(db, { limit: 100, offset: 0 })).items;

async function layTwo(): Promise<string> {
  const red = await imageBytes("#c00");
  return lay("work", {
    "one/index.md": `---\ntitle: One\nweight: 2\ncover: {image: red.png, alt: Red}\n---\nText.\n\n![Blue](blue.png "The sea")\n\nIn ![b](blue.png) text.\n`,
    "one/red.png": red,
    "one/blue.png": await imageBytes("#00c"),
    "two.md": "---\ntitle: Two\nweight: 1\nimage: copy.png\ndraft: true\naudience: members\n---\n",
    "copy.png": red,
  });
}

describe("an import", () => {
  test.each(dialects)(
    "says what it would do, does it, and gives it back on %s",
    async (dialect) => {
      const maker = await startDialect(dialect);
      opened.push({ [Symbol.asyncDispose]: () => maker.close() });
      const { database } = await maker.make();
      await migrate({ database, now: 0 });
      const { db } = database;
      const site = await makeSite({ db });
      const work = await layTwo();
      const plan = await site.plan(work);
      expect(plan).toMatchObject({
        possible: true,
        applied: false,
        isUpToDate: false,
        media: 3,
      });
      expect([await listAll(db), await mediaOf(site)]).toEqual([[], []]);
      const done = await site.runImport(work);
      expect(done).toMatchObject({ applied: true, site: { live: true } });
      const [two, one] = await listAll(db);
      const [red = "", blue = ""] = one?.gallery.map(({ src }) => src) ?? [];
      expect(two).toMatchObject({ slug: "two", status: "draft", audience: "members", position: 0 });
      expect(two?.gallery).toEqual([{ src: red, caption: "" }]);
      expect(one).toMatchObject({
        status: "published",
        position: 1,
        body: `Text.\n\nIn ![b](${blue}) text.`,
        gallery: [
          { src: red, alt: "Red", caption: "" },
          { src: blue, alt: "Blue", caption: "The sea" },
        ],
      });
      // The same bytes twice are one item, and one rebuild shows all.
      expect(await mediaOf(site)).toHaveLength(2);
      expect(await rebuildState(db)).toMatchObject({
        state: "pending",
        reason: "2 projects were imported",
      });
      expect(await readdir(site.workDir)).toEqual(["uploads"]);
      const again = await site.runImport(work);
      expect(again).toMatchObject({
        possible: true,
        applied: false,
        isUpToDate: true,
        media: 0,
      });
      const out = join(temp.path, "out");
      const { content, dir: instance } = site.test.paths;
      await exportAll(out, { db, content, instance, locks: locksOf(site.test.paths) });
      await rm(join(out, "resume.json"));
      // Its files are those that are stored, though others were uploaded.
      expect(await site.runImport(out)).toMatchObject({ possible: true, isUpToDate: true });
      expect(await mediaOf(site)).toHaveLength(2);
    },
  );

  test("leaves existing projects unchanged unless told otherwise", async () => {
    const site = await makeSite();
    const work = await lay("work", { "one.md": "---\ntitle: One\n---\nOld" });
    await site.runImport(work);
    await lay("work", { "one.md": "---\ntitle: One\nrole: Lead\n---\nNew", "two.md": "# Two" });
    const planned = await site.plan(work);
    expect(planned.problems.map(({ message }) => message).join()).toContain(
      "role, body. Use --update",
    );
    expect(await site.runImport(work, { draft: true })).toMatchObject({ applied: true });
    expect(await listAll(site.db)).toMatchObject([
      { slug: "one", role: "", body: "Old", version: 1 },
      { slug: "two", status: "draft" },
    ]);
    await site.runImport(work, { update: true, draft: true });
    expect(await listAll(site.db)).toMatchObject([
      { slug: "one", role: "Lead", body: "New", status: "published", version: 2 },
      { slug: "two", status: "draft" },
    ]);
  });

  test("leaves out a broken image, reports it, and imports the rest", async () => {
    const site = await makeSite();
    const work = await layTwo();
    const whole = await imageBytes("#0c0");
    await lay("work", {
      "broken.png": whole.subarray(0, 60),
      "three.md": "---\ntitle: Three\ncover: broken.png\n---\n",
    });
    const report = await site.runImport(work);
    expect(report).toMatchObject({ possible: true, applied: true });
    const about = report.problems.filter(({ file }) => file === "three.md");
    expect(about.map(({ message }) => message).join()).toContain("broken.png can’t be imported");
    const three = (await listAll(site.db)).find(({ slug }) => slug === "three");
    expect(three).toMatchObject({ name: "Three", gallery: [] });
    expect(await listAll(site.db)).toHaveLength(3);
    expect(await mediaOf(site)).toHaveLength(2);
  });

  test("reports files that aren't images before it changes anything", async () => {
    const site = await makeSite();
    const work = await lay("work", {
      "a.md": "---\ntitle: A\ngallery: [x.png, big.png, film.mp4]\n---\n",
      "x.png": "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "big.png": Buffer.concat([await imageBytes("#111"), Buffer.alloc(1024 * 1024)]),
      "film.mp4": Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1"),
    });
    const { problems, media } = await site.plan(work);
    const messages = problems
      .map(({ message }) => message)
      .filter((text) => text.includes("can’t be imported"));
    expect(media).toBe(0);
    expect(messages.map((text) => text.split(" ")[0]).toSorted()).toEqual([
      "big.png",
      "film.mp4",
      "x.png",
    ]);
    expect(messages.join()).toMatch(/SVG.*|1 MiB|no films here/);
  });

  test("stores a drawing as an image once and recognizes it later", async () => {
    const site = await makeSite();
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9" height="9"/></svg>';
    const work = await lay("work", {
      "projects/a.md": "---\ntitle: A\ncover: /flow.svg\n---\n\n![Flow](../public/flow.svg)\n",
      "public/flow.svg": svg,
    });
    expect(await site.runImport(work)).toMatchObject({ applied: true });
    const [media] = await mediaOf(site);
    expect(media).toMatchObject({ originalName: "flow.svg", mime: "image/webp" });
    const [project] = await listAll(site.db);
    expect(project?.gallery).toMatchObject([{ src: media?.src, alt: "Flow" }]);
    expect(await site.runImport(work)).toMatchObject({ isUpToDate: true });
    expect(await mediaOf(site)).toHaveLength(1);
  });

  test("imports what is selected and proposes what may not be a case study", async () => {
    const site = await makeSite();
    const work = await lay("site", {
      "astro.config.mjs": "export default {};",
      "src/content/work/one.md": "---\ntitle: One\n---\nText",
      "src/content/work/two.md": "---\ntitle: Two\n---\nText",
      "src/content/blog/hello.md": "---\ntitle: Hello\n---\nText",
    });
    const sure = await site.plan(work);
    expect(sure.projects.map(({ slug }) => slug)).toEqual(["one", "two"]);
    expect(sure.proposals).toMatchObject([
      { slug: "hello", doubt: expect.stringContaining("post") },
    ]);
    expect((await site.plan(work, { choice: "all" })).projects).toHaveLength(3);
    const choice = ["src/content/blog/hello.md", "src/content/work/two.md"];
    await site.runImport(work, { choice });
    expect((await listAll(site.db)).map(({ slug }) => slug).toSorted()).toEqual(["hello", "two"]);
  });

  test("checks the résumé's image like every other", async () => {
    const site = await makeSite();
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["add", "."],
      ["commit", "-q", "-m", "x"],
    ]) {
      await handGit(site.test.paths.content, args);
    }
    const planned = async (image: string) => {
      const work = await lay("work", {
        "resume.json": JSON.stringify({ basics: { name: "Ada", image } }),
        "me.png": await imageBytes("#111"),
        "me.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "me.mp4": Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1"),
      });
      const { problems, media: images } = await site.plan(work);
      const errors = problems.filter(({ level }) => level === "error");
      return [images, errors.map(({ file, message }) => `${file} ${message}`).join()];
    };
    expect(await planned("me.png")).toEqual([1, ""]);
    expect(await planned("https://example.org/me.png")).toEqual([0, ""]);
    expect((await planned("me.svg"))[1]).toMatch(/^me\.svg .*SVG/);
    expect((await planned("me.mp4"))[1]).toBe("me.mp4 no films here");
    expect((await planned("gone.png"))[1]).toBe("resume.json gone.png doesn't exist");
  });

  test("removes what a killed import has stored, unless it is imported again", async () => {
    const site = await makeSite();
    const work = await layTwo();
    await site.runImport(work);
    const { items } = await listMedia(site.db, { limit: 9, offset: 0 });
    const [stray, wanted] = [await imageBytes("#abc"), await imageBytes("#cba")];
    const added = [await site.test.add(stray), await site.test.add(wanted)];
    const started = [...items, ...added.map(({ media }) => media)].map(({ sha256 }) => sha256);
    await writeFile(join(site.workDir, "begun.json"), JSON.stringify(started));
    await writeFile(join(site.workDir, "uploads", "copy-1"), "half");
    const broken = (await imageBytes("#0c0")).subarray(0, 60);
    await lay("work", {
      "three.md": "# Three\n\n![x](w.png)\n\n![y](b.png)",
      "w.png": wanted,
      "b.png": broken,
    });
    expect(await site.runImport(work)).toMatchObject({ applied: true });
    const kept = [...items.map(({ id }) => id), added[1]?.media.id];
    expect((await mediaOf(site)).map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  });

  test("takes over former addresses and times, but no address of another project", async () => {
    const site = await makeSite();
    const moments = "created: 2024-05-04\nlastmod: 2025-06-07T08:09:10Z\n";
    const aliases = "aliases: [/projects/old/, past, two, /blog/x/]\n";
    const work = await lay("work", {
      "one.md": `---\ntitle: One\n${moments}${aliases}---\n`,
      "two.md": "---\ntitle: Two\naliases: past\nupdated: 2099-01-01\n---\n",
    });
    const { problems } = await site.runImport(work);
    expect(problems.map(({ field, line }) => [field, line])).toContainEqual(["aliases", 5]);
    const [one, two] = (await listAll(site.db)).toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
    expect(one).toMatchObject({
      createdAt: "2024-05-04T00:00:00.000Z",
      updatedAt: "2025-06-07T08:09:10.000Z",
    });
    expect(Number(two?.updatedAt.slice(0, 4))).toBeLessThan(2099);
    const redirects = await listRedirects(site.db, "all");
    expect(redirects).toContainEqual({ from: "old", to: "one" });
    expect(redirects.map(({ from }) => from)).toEqual(["old", "past"]);
    expect(await site.runImport(work)).toMatchObject({ isUpToDate: true });
  });

  test("deletes the samples that nobody has changed", async () => {
    const site = await makeSite();
    const { db } = site;
    const json = await readFile(join(template, "database/projects.json"), "utf8");
    await importRecords(db, { json, now: 0 });
    const before = await listAll(db);
    await db
      .withTables<{ project: { id: number; summary: string } }>()
      .updateTable("project")
      .set({ summary: "Mine now" })
      .where("id", "=", before[0]?.id ?? 0)
      .execute();
    const work = await lay("work", { "a.md": `---\ntitle: A\nslug: ${before[1]?.slug}\n---\n` });
    const reported = (await site.plan(work, { update: true })).problems.map(
      ({ message }) => message,
    );
    expect(reported.join()).toContain("5 sample projects stay on the site. --without-samples");
    await site.runImport(work, { withoutSamples: true });
    expect((await listAll(db)).map(({ name, summary }) => [name, summary])).toEqual([
      [before[0]?.name, "Mine now"],
      ["A", ""],
    ]);
  });
});

describe("an import during which main has moved", () => {
  /** Commits by hand, as its owner may at any moment. */
  async function commitByHand({ content }: InstancePaths, path: string, text: string) {
    await writeFile(join(content, path), text);
    await handGit(content, ["add", "."]);
    await handGit(content, ["commit", "-q", "-m", "By hand"]);
  }

  async function layResume(site: Site): Promise<string> {
    const { content } = site.test.paths;
    await handGit(content, ["init", "-q", "-b", "main"]);
    await commitByHand(site.test.paths, "voice.md", "Plain.\n");
    const resume = JSON.stringify({ basics: { name: "Ada", label: "Engineer" } });
    return lay("work", { "resume.json": resume, "one.md": "---\ntitle: One\n---\nText." });
  }

  /** A change in the very place that the import changes. */
  const inTheWay = async ({ content }: InstancePaths) => {
    const page = JSON.parse(await readFile(join(content, resumeFile), "utf8")) as object;
    return JSON.stringify({ ...page, resume: { basics: { name: "Somebody" } } });
  };

  test("starts again on top of it and goes live as a whole", async () => {
    let builds = 0;
    const site = await makeSite({
      async build(paths, { dir }) {
        builds += 1;
        if (builds === 1) await commitByHand(paths, resumeFile, await inTheWay(paths));
        const text = await readFile(join(dir, resumeFile), "utf8");
        return makeArtifact(paths, { "index.html": text });
      },
    });
    const { content, current } = site.test.paths;
    const done = await site.runImport(await layResume(site));
    expect(done).toMatchObject({ applied: true });
    expect(builds).toBe(2);
    expect(await readFile(join(current, "index.html"), "utf8")).toContain("Engineer");
    expect(await handGit(content, ["log", "--format=%s", "main"])).toMatch(
      /^Import the résumé\nBy hand\nBy hand\n$/,
    );
    expect(await listAll(site.db)).toHaveLength(1);
  });

  test("changes nothing if it doesn't build there", async () => {
    let builds = 0;
    const site = await makeSite({
      async build(paths) {
        builds += 1;
        if (builds > 1) throw new AppError("validation_failed", "The site does not build.");
        await commitByHand(paths, "voice.md", "Mine.\n");
        return makeArtifact(paths, { "index.html": "First" });
      },
    });
    const { content, workspaces } = site.test.paths;
    const work = await layResume(site);
    await expect(site.runImport(work)).rejects.toMatchObject({
      message: "The site does not build.",
    });
    expect(await listAll(site.db)).toEqual([]);
    expect((await rebuildState(site.db)).state).toBe("idle");
    expect(await handGit(content, ["log", "--format=%s", "main"])).toBe("By hand\nBy hand\n");
    expect(await readdir(workspaces)).toEqual([]);
  });
});

describe("an export", () => {
  const parts = ({ db, test: { paths } }: Site) => {
    return { db, content: paths.content, instance: paths.dir, locks: locksOf(paths) };
  };

  test("gives the same projects in another instance", async () => {
    const site = await makeSite();
    await site.runImport(await layTwo());
    const dir = join(temp.path, "out");
    expect(await exportAll(dir, parts(site))).toMatchObject({ projects: 2, media: 3 });
    expect((await readdir(dir)).toSorted()).toEqual([
      "README.md",
      "changelog.json",
      "projects",
      "resume.json",
      "site",
    ]);
    await rm(join(dir, "resume.json"));
    const other = await makeSite();
    const { problems } = await other.runImport(dir);
    expect(problems.filter(({ level }) => level !== "note")).toEqual([]);
    const reported = async ({ db }: Site) => {
      const media = new Map(
        (await listMedia(db, { limit: 9, offset: 0 })).items.map((item) => [item.src, item]),
      );
      const nameOf = (src: string) => src.replace(/^.*\/[0-9a-f]{12}-/, "");
      const all = (await listAll(db)).toSorted((a, b) => a.position - b.position);
      // oxlint-disable-next-line no-map-spread
      return all.map(({ id: _i, version: _v, gallery, body, ...rest }) => ({
        ...rest,
        body: body.replace(/\/media\/\S+\/[0-9a-f]{12}-/g, ""),
        gallery: gallery.map(({ src, alt, caption }) => [
          nameOf(src),
          alt ?? media.get(src)?.alt,
          caption,
        ]),
      }));
    };
    const names = (list: Awaited<ReturnType<typeof reported>>) =>
      JSON.parse(JSON.stringify(list).replaceAll(".jpg", ".webp")) as unknown;
    expect(names(await reported(other))).toEqual(names(await reported(site)));
    expect(await other.runImport(dir)).toMatchObject({ isUpToDate: true });
  });

  test("is written only into a new or empty folder and follows no link", async () => {
    const site = await makeSite();
    const { content, dir } = site.test.paths;
    await symlink("/etc/passwd", join(content, "app/src/passwd"));
    const full = await lay("full", { x: "x" });
    await expect(exportAll(full, parts(site))).rejects.toMatchObject({ code: "already_exists" });
    await expect(exportAll(join(full, "x"), parts(site))).rejects.toMatchObject({
      code: "already_exists",
    });
    await expect(exportAll(join(dir, "out"), parts(site))).rejects.toMatchObject({
      code: "bad_request",
    });
    await expect(exportAll(join(temp.path, "a/b"), parts(site))).rejects.toMatchObject({
      code: "not_found",
    });
    await symlink(full, join(temp.path, "link"));
    await expect(exportAll(join(temp.path, "link"), parts(site))).rejects.toMatchObject({
      code: "already_exists",
    });
    const empty = join(temp.path, "empty");
    await mkdir(empty);
    await exportAll(empty, parts(site));
    expect(await readdir(join(empty, "site/app/src"))).toEqual(["content"]);
  });

  test("removes what a killed export to the same folder has left, and nothing else", async () => {
    const site = await makeSite();
    const [dir, { locks }] = [join(temp.path, "out"), parts(site)];
    const module = join(import.meta.dirname, "../export/temporary-folder.ts");
    const killed = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const { makeTemporaryFolder } = await import(${JSON.stringify(module)});
        const { path } = await makeTemporaryFolder(...process.argv.slice(1));
        process.stdout.write(path);
        setInterval(() => {}, 1000);`,
        dir,
        locks,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const closed = once(killed, "close");
    const [left] = (await once(killed.stdout, "data")) as [Buffer];
    await writeFile(join(left.toString(), "resume.json"), "half");
    const alive = await makeTemporaryFolder(dir, locks);
    expect(await readdir(locks)).toHaveLength(2);
    killed.kill("SIGKILL");
    await closed;
    await lay("out.0123456789ab.part", { mine: "x" });
    await exportAll(dir, parts(site));
    const there = ["out", "out.0123456789ab.part", basename(alive.path)];
    expect((await readdir(temp.path)).toSorted()).toEqual(there.toSorted());
    alive.end();
    expect(await readdir(locks)).toEqual([]);
  });

  test("contains the portrait next to the résumé, and importing it recognizes the portrait", async () => {
    const site = await makeSite();
    const { content } = site.test.paths;
    const { media } = await site.test.add(await imageBytes("#c0c"), { name: "me.png" });
    const resume = { basics: { name: "Ada", image: media.src } };
    for (const [path, words] of Object.entries({
      [resumeFile]: { resume },
      [siteFile]: { name: "Ada" },
    })) {
      const page = JSON.parse(await readFile(join(content, path), "utf8")) as object;
      await writeFile(join(content, path), JSON.stringify({ ...page, ...words }));
    }
    const dir = join(temp.path, "out");
    await exportAll(dir, parts(site));
    const input = JSON.parse(await readFile(join(dir, "resume.json"), "utf8")) as typeof resume;
    expect(input.basics.image).toMatch(/^me\.(?:jpg|webp)$/);
    expect(await readFile(join(dir, input.basics.image))).toEqual(
      await readFile(join(content, "app/public", media.src)),
    );
    expect((await site.plan(dir)).resume).toMatchObject({ action: "same" });
    await rm(join(content, "app/public", media.src));
    await expect(exportAll(join(temp.path, "two"), parts(site))).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("leaves nothing if a file is missing", async () => {
    const site = await makeSite();
    await site.runImport(await layTwo());
    await rm(join(site.test.paths.content, "app/public/media"), { recursive: true });
    await expect(exportAll(join(temp.path, "out"), parts(site))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect((await readdir(temp.path)).toSorted()).toEqual(["work"]);
  });
});
