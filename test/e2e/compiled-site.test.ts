import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Artifact,
  type BuildFailed,
  type BuildJob,
  makeSiteBuilder,
  type SiteBuilder,
} from "../../packages/server/src/features/release/builder/build.ts";
import type { Manifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import type { Snapshot } from "../../packages/server/src/features/release/snapshot.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { sharedCode, withSharedCode } from "../support/builder-code.ts";
import { copyTemplate } from "../support/template.ts";
import { sampleSnapshot } from "./template-site.ts";

// Builds with code that an earlier build has compiled, compared with builds that compile everything.

let folder: TempFolder;
/** Keeps what it compiles. */
let builder: SiteBuilder;
/** Compiles everything each time. */
let whole: SiteBuilder;
let turn = 0;

const at = (name: string) => join(folder.path, name);

async function makeBuilder(name: string, current?: string): Promise<SiteBuilder> {
  const opening = makeSiteBuilder({
    paths: {
      artifacts: at(`${name}/artifacts`),
      builders: at(`${name}/builders`),
      compiledSites: at(`${name}/compiled`),
      ...sharedCode,
      ...(current && { current }),
    },
    limits: { ...defaultLimits.build, warm: false },
    sandbox: "auto",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  return withSharedCode(opening);
}

beforeAll(async () => {
  folder = await tempFolder();
  builder = await makeBuilder("kept", at("current"));
  whole = await makeBuilder("whole");
});
afterAll(async () => {
  await Promise.all([builder.close(), whole.close()]);
  await folder.remove();
});

const small: Snapshot = {
  site: { baseUrl: "https://example.com", ownerName: "Owner", timeZone: "UTC" },
  projects: [],
  changelog: [],
  redirects: [],
};

/** A site of these files, each page of which has its own code. */
async function makeSite(files: Record<string, string>): Promise<string> {
  turn += 1;
  const dir = at(`content-${turn}`);
  for (const [path, text] of Object.entries(files)) await write(dir, path, text);
  return dir;
}

async function write(dir: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function editJson(dir: string, path: string, edit: (value: unknown) => unknown) {
  const file = join(dir, path);
  await writeFile(file, JSON.stringify(edit(JSON.parse(await readFile(file, "utf8"))), null, 2));
}

function job(sourceDir: string, snapshot: Snapshot): BuildJob {
  return { sourceDir, mediaDir: join(sourceDir, "app/public/media"), snapshot };
}

async function manifestOf({ dir }: Artifact): Promise<Manifest> {
  return JSON.parse(await readFile(`${dir}.json`, "utf8")) as Manifest;
}

/** Makes a build the live one, whose images and search index the next one can use. */
async function publish({ dir }: Artifact): Promise<void> {
  await rm(at("current"), { force: true });
  await symlink(dir, at("current"));
}

/** Builds and publishes as an instance does: the images that a build leaves out, in the background. */
async function buildAndPublish(input: BuildJob): Promise<Artifact> {
  const first = await builder.build(input);
  await publish(first);
  if (!(await manifestOf(first)).lacksShareImages) return first;
  const artifact = await builder.build({ ...input, isInBackground: true });
  await publish(artifact);
  return artifact;
}

async function buildWhole(input: BuildJob): Promise<Artifact> {
  await rm(at("whole/compiled"), { recursive: true, force: true });
  const artifact = await whole.build({ ...input, isInBackground: true });
  expect(artifact.reusedCode).toBe(false);
  return artifact;
}

/** Builds both ways; the artifacts are the same to the byte. */
async function buildBoth(sourceDir: string, snapshot: Snapshot): Promise<Artifact> {
  const artifact = await buildAndPublish(job(sourceDir, snapshot));
  expect((await buildWhole(job(sourceDir, snapshot))).sha).toBe(artifact.sha);
  return artifact;
}

const page = (body: string, code = "") =>
  `---\n${code}\n---\n<html lang="en"><head><title>T</title></head><body>${body}</body></html>\n`;

const home = { "app/src/content/home.json": JSON.stringify({ heading: "Hello", size: 3 }) };
const homePage = page("<h1>{home.heading}</h1>", 'import home from "../content/home.json";');

async function htmlOf({ dir }: Artifact, path = "index.html"): Promise<string> {
  return readFile(join(dir, path), "utf8");
}

const strings = (value: unknown, keys: (string | number)[] = []): (string | number)[][] => {
  if (typeof value === "string") return [keys];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    strings(inner, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
};

function append(value: unknown, keys: (string | number)[], text: string): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return `${String(value)}${text}`;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = append(copy[key], rest, text);
  return copy;
}

interface Edited {
  dir: string;
  snapshot: Snapshot;
}

/** Edits of the template's texts, records and code; `pick` chooses among many by its number. */
const edits: Record<string, (site: Edited, pick: number, text: string) => Promise<Snapshot>> = {
  async text({ dir, snapshot }, pick, text) {
    const names = (await readdir(join(dir, "app/src/content"))).toSorted();
    const name = names[pick % names.length] ?? "";
    await editJson(dir, `app/src/content/${name}`, (value) => {
      const prose = strings(value).filter((keys) =>
        /^(heading|title|lead|text|summary)$/.test(String(keys.at(-1))),
      );
      return prose.length === 0 ? value : append(value, prose[pick % prose.length] ?? [], text);
    });
    return snapshot;
  },
  async record({ snapshot }, pick, text) {
    const projects = snapshot.projects.map((project, index) =>
      index === pick % snapshot.projects.length
        ? { ...project, body: `${project.body}\n\n${text}`, name: `${project.name}${text}` }
        : project,
    );
    return { ...snapshot, projects };
  },
  async order({ snapshot }, pick) {
    const { projects } = snapshot;
    const from = pick % projects.length;
    return { ...snapshot, projects: [...projects.slice(from), ...projects.slice(0, from)] };
  },
  async deletion({ snapshot }, pick) {
    const { projects } = snapshot;
    return {
      ...snapshot,
      projects: projects.filter((_, index) => index !== pick % projects.length),
    };
  },
  async change({ snapshot }, pick, title) {
    const time = new Date(1_790_000_000_000 + pick * 1000).toISOString();
    const change = { kind: "feature", title, detail: "", at: time, actor: "Owner" };
    return { ...snapshot, changelog: [change, ...snapshot.changelog] };
  },
  async code({ dir, snapshot }, pick, text) {
    const folders = ["components", "pages"].map((name) => join(dir, "app/src", name));
    const files = (
      await Promise.all(
        folders.map(async (path) => (await readdir(path)).map((name) => join(path, name))),
      )
    )
      .flat()
      .filter((file) => file.endsWith(".astro"))
      .toSorted();
    await appendFile(files[pick % files.length] ?? "", `\n<!-- ${text} -->\n`);
    return snapshot;
  },
};

const randomEdits = Number(process.env["RANDOM_EDITS"] ?? 3);

describe("a site whose code is compiled already", () => {
  test("its records and texts change, and the bytes are those of a whole build", async () => {
    const dir = at("template");
    await copyTemplate(dir);
    const snapshot = await sampleSnapshot();
    const first = await builder.build(job(dir, snapshot));
    expect(first.reusedCode).toBe(false);
    await editJson(dir, "app/src/content/home.json", (value) => ({
      ...(value as object),
      heading: "Other words",
    }));
    const [project, ...others] = snapshot.projects;
    if (project === undefined) throw new Error("There is no project.");
    const changed = { ...snapshot, projects: [{ ...project, body: "Other text." }, ...others] };
    const artifact = await buildBoth(dir, changed);
    expect(artifact.reusedCode).toBe(true);
    expect(artifact.sha).not.toBe(first.sha);
    expect(await htmlOf(artifact)).toContain("Other words");
    expect(await htmlOf(artifact, `projects/${project.slug}/index.html`)).toContain("Other text.");
  });

  test(`random edits, ${randomEdits} of them`, async () => {
    const dir = at("edited");
    await copyTemplate(dir);
    let snapshot = await sampleSnapshot();
    const kinds = fc.constantFrom(...Object.keys(edits));
    const texts = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .filter((text) => !/[-<>{}\p{C}]/u.test(text));
    const sequence = fc.sample(fc.tuple(kinds, fc.nat(500), texts), {
      seed: 7,
      numRuns: randomEdits,
    });
    for (const [kind, pick, text] of sequence) {
      if (snapshot.projects.length < 2) snapshot = await sampleSnapshot();
      snapshot = (await edits[kind]?.({ dir, snapshot }, pick, text)) ?? snapshot;
      const { pages } = await buildBoth(dir, snapshot);
      expect(pages).toBeGreaterThan(10);
    }
  });

  test("the résumé's file is used again until its code or what it shows changes", async () => {
    const dir = at("resume");
    await copyTemplate(dir);
    const snapshot = await sampleSnapshot();
    const fileOf = async (artifact: Artifact) => readFile(join(artifact.dir, "resume.pdf"));
    const first = await fileOf(await buildAndPublish(job(dir, snapshot)));
    await appendFile(join(dir, "app/src/pages/about.astro"), "\n<!-- other code -->\n");
    const change = { kind: "feature", title: "T", detail: "", at: "2026-11-01T00:00:00.000Z" };
    const [project, ...others] = snapshot.projects;
    if (project === undefined) throw new Error("There is no project.");
    const later = {
      ...snapshot,
      changelog: [{ ...change, actor: "Owner" }, ...snapshot.changelog],
      projects: [{ ...project, body: "Other text." }, ...others],
    };
    expect((await fileOf(await buildBoth(dir, later))).equals(first)).toBe(true);
    const renamed = { ...later, projects: [{ ...project, name: "Renamed" }, ...others] };
    const second = await fileOf(await buildBoth(dir, renamed));
    expect(second.equals(first)).toBe(false);
    await appendFile(join(dir, "app/src/lib/pdf-rows.ts"), "\n// other code\n");
    expect((await fileOf(await buildBoth(dir, renamed))).equals(second)).toBe(false);
  });

  test("other code, other names in a text file, and another text file are compiled", async () => {
    const dir = await makeSite({ ...home, "app/src/pages/index.astro": homePage });
    const again = async () => (await builder.build(job(dir, small))).reusedCode;
    expect(await again()).toBe(false);
    expect(await again()).toBe(true);
    await editJson(dir, "app/src/content/home.json", () => ({ heading: "Other", size: 4 }));
    expect(await again()).toBe(true);
    await editJson(dir, "app/src/content/home.json", () => ({ heading: "Other", length: 4 }));
    expect(await again()).toBe(false);
    await write(dir, "app/src/content/more.json", "{}");
    expect(await again()).toBe(false);
    await write(dir, "app/src/pages/index.astro", `${homePage}<p>more</p>`);
    expect(await again()).toBe(false);
    await write(dir, "app/public/robots.txt", "User-agent: *");
    expect(await again()).toBe(false);
  });

  test.each([
    [
      "a script for the browser",
      {
        "app/src/pages/index.astro": page(
          '<script>import home from "../content/home.json"; document.title = home.heading;</script>',
        ),
      },
    ],
    [
      "an address of a file",
      {
        "app/src/pages/index.astro": page(
          '<script>document.title = new URL("../content/home.json", import.meta.url).href;</script>',
        ),
      },
    ],
    [
      "the text of a file",
      {
        "app/src/pages/index.astro": page("{text}", 'import text from "../content/home.json?raw";'),
      },
    ],
    [
      "a file outside of app",
      {
        "brand/voice.md": "Calm.",
        "app/src/pages/index.astro": page(
          "{text}",
          'import text from "../../../brand/voice.md?raw";',
        ),
      },
    ],
  ])("what is compiled with %s is not used again", async (_, files) => {
    const dir = await makeSite({ ...home, ...files });
    const first = await builder.build(job(dir, small));
    await editJson(dir, "app/src/content/home.json", () => ({ heading: "Other", size: 4 }));
    const second = await builder.build(job(dir, small));
    expect([first.reusedCode, second.reusedCode]).toEqual([false, false]);
  });

  test("named imports, JSON that is a list, a file's own page, and a redirect are as in a whole build", async () => {
    const dir = await makeSite({
      ...home,
      "app/src/content/list.json": '["one", "two"]',
      "app/src/pages/index.astro": page(
        "<p>{heading} {size} {list.join()} {snapshot.site.ownerName} {site.timeZone}</p>",
        'import { heading, size } from "../content/home.json";\nimport list from "../content/list.json";\nimport snapshot, { site } from "@snapshot";',
      ),
      "app/src/pages/[slug].astro": page(
        "<p>{Astro.params.slug} {Astro.url.pathname}</p>",
        'export const getStaticPaths = () => [{ params: { slug: "a b" } }, { params: { slug: "c" } }];',
      ),
      "app/src/pages/old.astro": '---\nreturn Astro.redirect("/c/");\n---\n',
      "app/src/pages/404.astro": page("<p>Nothing</p>"),
      "app/src/pages/data.json.ts": 'export const GET = () => new Response("{}");',
      "app/src/pages/none.txt.ts": "export const GET = () => new Response(null);",
    });
    await builder.build(job(dir, small));
    await editJson(dir, "app/src/content/list.json", () => ["three"]);
    const artifact = await buildBoth(dir, small);
    expect(await htmlOf(artifact)).toContain("<p>Hello 3 three Owner UTC</p>");
    expect(await htmlOf(artifact, "old/index.html")).toContain("/c/");
  });

  test("an error in a text is reported as by a whole build", async () => {
    const code =
      'import home from "../content/home.json";\nif (home.size > 3) throw new Error("too large");';
    const dir = await makeSite({ ...home, "app/src/pages/index.astro": page("<p>x</p>", code) });
    await builder.build(job(dir, small));
    await editJson(dir, "app/src/content/home.json", () => ({ heading: "Hello", size: 4 }));
    const errorsOf = (result: Promise<Artifact>) =>
      result.then(
        () => [],
        (error: unknown) => (error as BuildFailed).errors,
      );
    const errors = await errorsOf(builder.build(job(dir, small)));
    expect(errors).toEqual([
      expect.stringMatching(/^app\/src\/pages\/index\.astro\b.* too large$/),
    ]);
    expect(await errorsOf(whole.build(job(dir, small)))).toEqual(errors);
  });

  test("what is damaged on the disk is compiled again", async () => {
    const dir = await makeSite({ ...home, "app/src/pages/index.astro": `${homePage}<p>d</p>` });
    const before = await readdir(at("kept/compiled"));
    const first = await builder.build(job(dir, small));
    const names = await readdir(at("kept/compiled"));
    const key = names.find((name) => !before.includes(name)) ?? "";
    const server = at(`kept/compiled/${key}/server`);
    const entry = (await readdir(server)).find((name) => name.endsWith(".mjs")) ?? "";
    await appendFile(join(server, entry), "\nthrow new Error();\n");
    const second = await builder.build(job(dir, small));
    expect([second.reusedCode, second.sha]).toEqual([false, first.sha]);
    expect((await builder.build(job(dir, small))).reusedCode).toBe(true);
  });

  test("abuse 77: page code can't change what is kept, nor have anything kept that is no file", async () => {
    const code = (text: string) => `import fs from "node:fs";\n${text}`;
    const hostile = code(
      'const attempt = (path) => { try { fs.appendFileSync(path, "x"); return "written"; } catch { return "refused"; } };\n' +
        'const files = fs.existsSync("/site/compiled") ? fs.readdirSync("/site/compiled", { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => entry.parentPath + "/" + entry.name) : [];\n' +
        'const found = files.map(attempt).concat(fs.existsSync("/site/compiled") ? [attempt("/site/compiled/new")] : []);',
    );
    const writer = await makeSite({
      ...home,
      "app/src/pages/index.astro": page("<p>{[...new Set(found)].join()}</p>", hostile),
    });
    await builder.build(job(writer, small));
    await editJson(writer, "app/src/content/home.json", () => ({ heading: "Other", size: 4 }));
    const artifact = await builder.build(job(writer, small));
    expect([artifact.reusedCode, await htmlOf(artifact)]).toEqual([
      true,
      expect.stringContaining("<p>refused</p>"),
    ]);
    const linking = code('fs.symlinkSync("/etc/passwd", "/out/.compiled/passwd");');
    const linker = await makeSite({
      ...home,
      "app/src/pages/index.astro": page("<p>x</p>", linking),
    });
    await builder.build(job(linker, small));
    expect((await builder.build(job(linker, small))).reusedCode).toBe(false);
  });
});
