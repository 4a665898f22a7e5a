import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startDialect } from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { copyTemplate } from "../../../../../test/support/template.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { defaultLimits } from "../../platform/config.ts";
import { templateDir } from "../../platform/paths.ts";
import { openJail } from "../agent/tools/jail.ts";
import { changePages } from "./change-page.ts";
import { deletePage } from "./delete-page.ts";
import { listPages } from "./page-files.ts";

const contentFile = (name: string) => `app/src/content/${name}.json`;
const siteFile = contentFile("site");
let folder: TempFolder;
let app: ProjectsApp;

beforeEach(async () => {
  folder = await tempFolder();
  await copyTemplate(folder.path);
  app = await startProjectsApp(await startDialect("sqlite"));
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const read = (file: string) => readFile(join(folder.path, file), "utf8");
async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder.path, file)), { recursive: true });
  await writeFile(join(folder.path, file), text);
}
const jail = () => openJail(folder.path, defaultLimits.workspace);

async function plan(name: string) {
  return deletePage({ db: app.db, site: await jail(), texts: new Map() }, contentFile(name));
}

/** The files that a save comes to, by path; null stands for one that goes. */
async function remove(names: string[], changes: { file: string; values: object }[] = []) {
  const shipped = await openJail(templateDir, defaultLimits.workspace);
  const hashed = async (file: string) => ({ file, hash: sha256Hex(await read(file)) });
  const changed = await changePages(
    { db: app.db, site: await jail(), shipped },
    {
      changes: await Promise.all(
        changes.map(async ({ file, values }) => ({
          ...(await hashed(file)),
          values: { ...values } as Record<string, unknown>,
        })),
      ),
      deletions: await Promise.all(names.map((name) => hashed(contentFile(name)))),
    },
  );
  return new Map(changed.map(({ path, after }) => [path, after]));
}
const json = (text: string | null | undefined) =>
  JSON.parse(text ?? "null") as Record<string, unknown>;
const hrefs = (links: unknown) => (links as { href: string }[]).map(({ href }) => href);

test("the owner's page is deleted with its source, its content, and pages below it; remaining mentions are listed", async () => {
  await put("app/src/pages/talks/index.astro", 'import t from "../../content/talks.json";');
  await put("app/src/pages/talks/[talk].astro", "<p>One talk</p>");
  await put(contentFile("talks"), '{ "title": "Talks", "lead": "What I said." }\n');
  await put("app/src/components/Promo.astro", '<p>New: <a class="x" href="/talks/">talks</a></p>');
  await put("app/src/components/Other.astro", '<Action href="/talks/">Talks</Action>');
  await app.create({ name: "Tide", status: "published", body: "## Seen\n\nAt [a talk](/talks/)." });
  expect(await plan("talks")).toMatchObject({
    path: "/talks/",
    removed: [
      "app/src/pages/talks/index.astro",
      "app/src/pages/talks/[talk].astro",
      contentFile("talks"),
    ],
    emptied: null,
    unlinked: [],
    remaining: ["app/src/components/Promo.astro", "the project “Tide”"],
  });
  const files = await remove(["talks"]);
  expect(files.get("app/src/pages/talks/index.astro")).toBeNull();
  expect(files.get("app/src/pages/talks/[talk].astro")).toBeNull();
  expect(files.get(contentFile("talks"))).toBeNull();
  expect([...files.keys()].toSorted()).toEqual(
    [
      siteFile,
      contentFile("talks"),
      "app/src/pages/talks/[talk].astro",
      "app/src/pages/talks/index.astro",
    ].toSorted(),
  );
});

test("a page without a content file is listed by its source and deleted with the links to it", async () => {
  const source = "app/src/pages/services/brand-audit.astro";
  const page =
    '---\nimport Page from "../../layouts/Page.astro";\n---\n\n<Page title="Brand audits">';
  await put(source, `${page}\n  <h1>Audits</h1>\n</Page>\n`);
  await put("app/src/pages/now.astro", "<h1>Now</h1>\n");
  await put("app/src/pages/_draft.astro", "<h1>Draft</h1>\n");
  await put("app/src/components/Promo.astro", '<a href="/services/brand-audit/">Audit</a>');
  const site = await read(siteFile);
  const link = '"nav": [\n    { "label": "Audits", "href": "/services/brand-audit/" },';
  await put(siteFile, site.replace('"nav": [', link));

  const listed = (await listPages(await jail())).filter(({ hasContent }) => !hasContent);
  expect(listed.map(({ file, path, title }) => [file, path, title])).toEqual([
    ["app/src/pages/contact/thanks.astro", "/contact/thanks/", "Thanks"],
    ["app/src/pages/now.astro", "/now/", "Now"],
    [source, "/services/brand-audit/", "Brand audits"],
  ]);
  const from = { db: app.db, site: await jail(), shipped: await jail() };
  expect(await deletePage({ ...from, texts: new Map() }, source)).toMatchObject({
    path: "/services/brand-audit/",
    hash: sha256Hex(await read(source)),
    removed: [source],
    emptied: null,
    unlinked: [siteFile],
    remaining: ["app/src/components/Promo.astro"],
  });

  const stale = { file: source, hash: sha256Hex("another") };
  await expect(changePages(from, { changes: [], deletions: [stale] })).rejects.toMatchObject({
    code: "stale_version",
  });
  const deletion = { file: source, hash: sha256Hex(await read(source)) };
  const changed = await changePages(from, { changes: [], deletions: [deletion] });
  expect(changed.map(({ path, after }) => [path, after === null])).toEqual([
    [source, true],
    [siteFile, false],
  ]);
  const next = json(changed[1]?.after);
  expect(hrefs(next["nav"])).not.toContain("/services/brand-audit/");
  expect(next["hidden"]).toEqual(["/services/brand-audit/"]);

  // The page that thanks for a message has a reason to stay, and no other file is a page.
  const thanks = { file: listed[0]?.file ?? "", hash: "" };
  thanks.hash = sha256Hex(await read(thanks.file));
  await expect(changePages(from, { changes: [], deletions: [thanks] })).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining("after they send a message") as string,
  });
  for (const file of [
    "app/src/components/Promo.astro",
    "app/src/pages/projects/[slug].astro",
    "app/src/pages/../pages/now.astro",
    "app/src/pages/_draft.astro",
  ]) {
    const gone = { file, hash: sha256Hex("x") };
    await expect(changePages(from, { changes: [], deletions: [gone] })).rejects.toMatchObject({
      code: "not_found",
    });
  }
});

test("a page of the template is emptied if other sources read its file, and links to it are removed everywhere", async () => {
  await put(
    contentFile("share"),
    '{\n  "/about/": { "src": "/images/share.png", "alt": "" },\n  "/": null\n}\n',
  );
  expect(await plan("about")).toMatchObject({
    removed: ["app/src/pages/about.astro"],
    emptied: {
      file: contentFile("about"),
      readBy: ["app/src/lib/parts.ts", "app/src/lib/structured-data.ts"],
    },
    remaining: [],
  });
  const files = await remove(["about"], [{ file: siteFile, values: { name: "Ada" } }]);
  expect(files.get("app/src/pages/about.astro")).toBeNull();
  expect(json(files.get(contentFile("about")))).toMatchObject({
    title: "",
    story: [],
    portrait: { src: "", width: 960 },
  });
  const site = json(files.get(siteFile));
  expect([site["name"], site["hidden"]]).toEqual(["Ada", ["/about/"]]);
  expect(hrefs(site["nav"])).toEqual(["/projects/", "/services/", "/resume/", "/contact/"]);
  expect(json(files.get(contentFile("share")))).toEqual({ "/": null });

  for (const [path, after] of files) if (after !== null) await put(path, after);
  await put("app/src/pages/about.astro", "");
  const listed = async () => (await listPages(await jail())).map(({ file }) => file);
  expect(await listed()).toContain(contentFile("about"));
  const { rm } = await import("node:fs/promises");
  await rm(join(folder.path, "app/src/pages/about.astro"));
  expect(await listed()).not.toContain(contentFile("about"));
});

test("a service that links to a deleted page stays, and so do the owner's details", async () => {
  const files = await remove(["website-design", "resume", "contact"]);
  expect(files.has(contentFile("services"))).toBe(false);
  expect((await plan("website-design")).remaining).toEqual([contentFile("services")]);
  const { resume } = json(files.get(contentFile("resume"))) as { resume: object };
  const before = json(await read(contentFile("resume"))) as { resume: { basics: object } };
  expect(resume).toMatchObject({ basics: before.resume.basics, work: [] });
  // The page that thanks for a message has no words of its own.
  expect(files.get("app/src/pages/contact/thanks.astro")).toBeNull();
  expect(files.get(contentFile("contact"))).toBeNull();
  expect(hrefs(json(files.get(contentFile("home")))["actions"])).toEqual(["/projects/"]);
});

test("essential pages can't be deleted and say why, and neither can a page that has changed", async () => {
  for (const name of ["home", "not-found", "account", "search", "projects", "site"]) {
    await expect(remove([name])).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/can’t be deleted\. .+\.$/) as string,
    });
  }
  await expect(plan("none")).rejects.toMatchObject({ code: "not_found" });
  const from = { db: app.db, site: await jail(), shipped: await jail() };
  const [file, hash] = [contentFile("about"), sha256Hex("another")];
  await expect(
    changePages(from, { changes: [], deletions: [{ file, hash }] }),
  ).rejects.toMatchObject({ code: "stale_version", details: { file, yours: null } });
  await expect(
    changePages(from, { changes: [{ file, hash, values: {} }], deletions: [{ file, hash }] }),
  ).rejects.toMatchObject({ code: "validation_failed" });
});
