import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MediaList } from "../../packages/server/src/features/media/schema.ts";
import type { ImportReport } from "../../packages/server/src/features/portability/import/importer.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";

let instance: TestInstance;
let temp: TempFolder;
let authorization: string;
/** The addresses of what the sample brings. */
let before: string[];

beforeAll(async () => {
  [instance, temp] = await Promise.all([startInstance({ apart: true }), tempFolder()]);
  const made = await instance.vitrine(["api-token", "create", "test", "--scopes", "read"]);
  authorization = `Bearer ${String(made["token"])}`;
  before = await mediaSources();
}, 180_000);

afterAll(async () => {
  await instance[Symbol.asyncDispose]();
  await temp.remove();
});

async function mediaSources(): Promise<string[]> {
  const url = `${instance.baseUrl}/api/media/list?perPage=100`;
  const response = await fetch(url, { headers: { authorization } });
  const { data } = (await response.json()) as { data: MediaList };
  return data.items.map(({ src }) => src).toSorted();
}

/** A folder with a résumé, and the image of its person: noise, so that each is another. */
async function lay(dir: string, name: string, mean: number): Promise<string> {
  const work = join(temp.path, dir);
  await mkdir(work, { recursive: true });
  const noise = { type: "gaussian" as const, mean, sigma: 30 };
  const size = { width: 900, height: 1200, channels: 3 as const, background: "gray", noise };
  await writeFile(join(work, "me.jpg"), await sharp({ create: size }).jpeg().toBuffer());
  const resume = { basics: { name, image: "me.jpg" }, projects: [{ name: "Arrow type" }] };
  await writeFile(join(work, "resume.json"), JSON.stringify(resume));
  return work;
}

async function importArchive(...args: string[]): Promise<ImportReport> {
  return (await instance.vitrine(["import", ...args])) as unknown as ImportReport;
}

interface AboutPage {
  portrait: { src: string; srcset?: string; alt: string };
}

async function portrait(): Promise<AboutPage["portrait"]> {
  const file = join(instance.paths.content, "app/src/content/about.json");
  return (JSON.parse(await readFile(file, "utf8")) as AboutPage).portrait;
}

const page = async (path: string) => (await fetch(instance.baseUrl + path)).text();

test("a résumé's image becomes the portrait, and is given back", async () => {
  const work = await lay("work", "Ada Byron", 100);
  const planned = await importArchive(work);
  expect(planned).toMatchObject({ possible: true, media: 1 });
  expect(planned.problems).toContainEqual(
    expect.objectContaining({
      level: "note",
      field: "/projects",
      message: expect.stringContaining("Arrow type isn't a case study here"),
    }),
  );
  expect(planned.texts).toContainEqual({
    file: "app/src/content/about.json",
    field: "portrait",
    value: "me.jpg",
  });
  expect(await importArchive(work, "--yes")).toMatchObject({ applied: true, site: { live: true } });

  const { src, srcset, alt } = await portrait();
  const about = await page("/about/");
  expect(about).toContain(`<img src="${src}" srcset="${srcset}"`);
  expect([alt, about.includes('alt="Portrait of Ada Byron"')]).toEqual([
    "Portrait of Ada Byron",
    true,
  ]);
  expect(about).not.toContain("/images/portrait.svg");
  const widths = srcset?.split(", ").map((each) => each.split(" ")[0] ?? "") ?? [];
  expect(widths).toHaveLength(3);
  for (const address of widths) {
    const { status, headers } = await fetch(instance.baseUrl + address);
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
  }
  const given = JSON.parse(await page("/resume.json")) as {
    basics: { image: string };
    projects: { name: string }[];
  };
  expect(given.basics.image).toBe(instance.baseUrl + src);
  expect(given.projects.at(-1)).toEqual({ name: "Arrow type" });
  // What is stored is committed, too.
  expect(await instance.git("ls-files", `app/public${src}`)).not.toBe("");

  expect(await importArchive(work, "--yes")).toMatchObject({ isUpToDate: true, media: 0 });
  const out = join(temp.path, "out");
  await instance.vitrine(["export", out]);
  const exported = JSON.parse(await readFile(join(out, "resume.json"), "utf8")) as typeof given;
  expect(await exists(join(out, exported.basics.image))).toBe(true);
  expect(await importArchive(out, "--yes")).toMatchObject({ isUpToDate: true, applied: false });
  expect(await mediaSources()).toEqual([...before, src].toSorted());
}, 360_000);

/** Begins an import and kills it as soon as `isTime`; what was left is looked at by the next start. */
async function killAt(work: string, isTime: () => Promise<boolean>): Promise<void> {
  const child = instance.startCommand(["import", "--yes", "--update", work]);
  const ended = once(child, "exit");
  await eventually(async () => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    expect(isOver || (await isTime())).toBe(true);
  }, 120_000);
  child.kill("SIGKILL");
  await ended;
  await instance.kill("runner");
  await instance.kill("web");
  await instance.ready();
}

/** The stored images are the sample's, those that are named, and the portrait, whose file is there. */
async function assertWhole(also: string): Promise<void> {
  expect(await instance.git("status", "--porcelain")).toBe("");
  expect(await readdir(join(instance.paths.data, "import"))).not.toContain("begun.json");
  const { src } = await portrait();
  expect(await mediaSources()).toEqual([...new Set([...before, also, src])].toSorted());
  expect(await exists(join(instance.paths.content, "app/public", src))).toBe(true);
}

/** The numbers of the releases that there are. */
const releases = async () =>
  (await readdir(instance.paths.releases)).filter((name) => /^\d+$/.test(name));

test("a killed import leaves no image that nothing shows, no portrait without its file, and in no release what a study keeps from the public", async () => {
  const work = await lay("work", "Ada King", 150);
  const resume = JSON.parse(await readFile(join(work, "resume.json"), "utf8")) as object;
  const projects = [{ name: "Night Harbour", description: "Not for you" }, { name: "Arrow type" }];
  await writeFile(join(work, "resume.json"), JSON.stringify({ ...resume, projects }));
  await writeFile(
    join(work, "night.md"),
    "---\ntitle: Night harbour\naudience: members\n---\nText.",
  );
  const [shown, old] = [await portrait(), await releases()];
  // Before its publish, whose build takes a while; then in the middle of it, or behind.
  await killAt(work, () => exists(join(instance.paths.data, "import/begun.json")));
  await eventually(() => assertWhole(shown.src), 120_000);
  const head = await instance.git("rev-parse", "main");
  await killAt(work, async () => (await instance.git("rev-parse", "main")) !== head);
  await eventually(() => assertWhole(shown.src), 120_000);

  await importArchive(work, "--yes", "--update");
  const { src, alt } = await portrait();
  expect([src === shown.src, alt]).toEqual([false, "Portrait of Ada King"]);
  expect((await fetch(instance.baseUrl + src)).status).toBe(200);

  const made = (await releases()).filter((name) => !old.includes(name));
  expect(made.length).toBeGreaterThan(0);
  for (const name of made) {
    const text = await readFile(join(instance.paths.releases, name, "resume.json"), "utf8");
    const said = ["Arrow type", "Harbour", "Not for you"].map((words) => text.includes(words));
    expect([name, ...said]).toEqual([name, true, false, false]);
  }
}, 480_000);

test("an image that can't be taken keeps the whole résumé out", async () => {
  const work = await lay("broken", "Grace Hopper", 50);
  const whole = await readFile(join(work, "me.jpg"));
  await writeFile(join(work, "me.jpg"), whole.subarray(0, 600));
  const [shown, media] = [await portrait(), await mediaSources()];
  await expect(importArchive(work, "--yes", "--update")).rejects.toThrow('"possible":false');
  expect([await portrait(), await mediaSources()]).toEqual([shown, media]);
  expect(await page("/about/")).not.toContain("Grace");
}, 180_000);
