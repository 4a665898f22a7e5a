import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startDialect } from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { copyTemplate } from "../../../../../test/support/template.ts";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { defaultLimits } from "../../platform/config.ts";
import { templateDir } from "../../platform/paths.ts";
import { openJail } from "../agent/tools/jail.ts";
import { restrictMedia } from "../media/restricted-store.ts";
import { findMediaBySrc } from "../media/store.ts";
import { changePages } from "./change-page.ts";
import { listPages } from "./page-files.ts";
import { canChooseShareImages, presentShareImages } from "./share-images.ts";

const contentFile = (name: string) => `app/src/content/${name}.json`;
const [about, share, site] = [contentFile("about"), contentFile("share"), contentFile("site")];
let folder: TempFolder;
let app: ProjectsApp;

beforeEach(async () => {
  folder = await tempFolder();
  await copyTemplate(folder.path);
  const maker = await startDialect("sqlite");
  app = await startProjectsApp(maker);
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

/** Changes the file as it is now; gives its new text. */
async function change(file: string, values: Record<string, unknown>, hash?: string) {
  const from = {
    db: app.db,
    site: await jail(),
    shipped: await openJail(templateDir, defaultLimits.workspace),
  };
  const changes = [{ file, hash: hash ?? sha256Hex(await read(file)), values }];
  const [changed] = await changePages(from, { changes });
  return changed?.after ?? null;
}
const refusal = (...given: Parameters<typeof change>) =>
  change(...given).then(
    () => Promise.reject(new Error("it went through")),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error as Error)),
  );
const json = (text: string | null) => JSON.parse(text ?? "null") as Record<string, unknown>;

test("only the changed texts of a page's file change", async () => {
  const before = await read(about);
  expect(await change(about, { heading: "Hello." })).toBe(
    before.replace("I like the software nobody shows off.", "Hello."),
  );
  expect(await change(about, { heading: json(before)["heading"] })).toBeNull();
  expect((await refusal(about, { title: " ", nope: "x" })).fields).toEqual({
    [`${about}:title`]: "can’t be empty",
    [`${about}:nope`]: "isn’t a field of this page",
  });
});

describe("a file that has changed since it was opened", () => {
  test("is refused with its present values and the submitted ones", async () => {
    const opened = sha256Hex(await read(about));
    const now = (await read(about)).replace('"About"', '"Me"');
    await put(about, now);
    const { code, details } = await refusal(about, { heading: "Mine." }, opened);
    expect(code).toBe("stale_version");
    expect(details).toEqual({
      file: about,
      hash: sha256Hex(now),
      content: json(now),
      yours: { heading: "Mine." },
    });
    expect(await read(about)).toBe(now);
    // With the hash that came with the refusal it is saved, and the other's change stays.
    const saved = json(await change(about, { heading: "Mine." }, sha256Hex(now)));
    expect([saved["title"], saved["heading"]]).toEqual(["Me", "Mine."]);
  });

  test("is refused even if another file of the request is current", async () => {
    const from = { db: app.db, site: await jail(), shipped: await jail() };
    const changes = [
      { file: about, hash: sha256Hex(await read(about)), values: { heading: "Mine." } },
      { file: site, hash: sha256Hex("another"), values: { name: "Ada" } },
    ];
    await expect(changePages(from, { changes })).rejects.toMatchObject({
      code: "stale_version",
      details: { file: site },
    });
  });
});

describe("share images", () => {
  test("a page and a project can have an image from the library, with its size, and return to the drawn one", async () => {
    const src = await app.addImage("quay");
    await app.create({ name: "Tide", slug: "tide", status: "published" });
    const image = { src, alt: "A quay", width: 800, height: 600 };
    const chosen = { "/about/": { src, alt: "A quay" }, "/projects/tide/": { src, alt: "" } };
    const text = await change(share, chosen);
    const tide = { ...image, alt: "", project: expect.any(String) as string };
    expect(json(text)).toEqual({ "/about/": image, "/projects/tide/": tide });
    await put(share, text ?? "");
    const again = await change(share, { "/about/": { src, alt: "Boats" } });
    expect(json(again)["/about/"]).toEqual({ ...image, alt: "Boats" });
    expect(json(await change(share, { "/about/": null }))).toEqual({ "/projects/tide/": tide });
    expect(json(await change(share, { "/about/": null, "/projects/tide/": null }))).toEqual({});
  });

  test("an image from the site's source keeps its size when its text changes", async () => {
    const own = { src: "/images/share.png", alt: "", width: 1200, height: 630 };
    await put(share, `${JSON.stringify({ "/": own }, null, 2)}\n`);
    const text = await change(share, { "/": { src: own.src, alt: "The desk" } });
    expect(json(text)["/"]).toEqual({ ...own, alt: "The desk" });
  });

  test("a project with a new address keeps its image, and its next choice replaces the old entry", async () => {
    const [first, second] = [await app.addImage("quay"), await app.addImage("boats")];
    const tide = await app.create({ name: "Tide", slug: "tide", status: "published" });
    const old = { "/projects/tide/": { src: first, alt: "A quay", width: 800, height: 600 } };
    await put(share, JSON.stringify(old, null, 2));
    await app.ask("/save", { id: tide.id, version: tide.version, slug: "ebb" });
    const image = { src: first, alt: "A quay", width: 800, height: 600 };
    expect(await presentShareImages(app.db, old)).toEqual({ ...old, "/projects/ebb/": image });

    const renamed = await change(share, { "/projects/ebb/": { src: first, alt: "The quay" } });
    const project = expect.any(String) as string;
    expect(json(renamed)).toEqual({ "/projects/ebb/": { ...image, alt: "The quay", project } });
    const chosen = await change(share, { "/projects/ebb/": { src: second, alt: "Boats" } });
    const boats = { ...image, src: second, alt: "Boats", project };
    expect(json(chosen)).toEqual({ "/projects/ebb/": boats });
    expect(json(await change(share, { "/projects/ebb/": null }))).toEqual({});
  });

  test("a project at another's former address doesn't get its image, and takes nothing from it", async () => {
    const [first, second] = [await app.addImage("quay"), await app.addImage("boats")];
    const tide = await app.create({ name: "Tide", slug: "tide", status: "published" });
    const choose = async (values: Record<string, unknown>) => {
      await put(share, (await change(share, values)) ?? (await read(share)));
      return presentShareImages(app.db, json(await read(share)));
    };
    const moved = { src: first, alt: "A quay", width: 800, height: 600 };
    await choose({ "/projects/tide/": { src: first, alt: "A quay" } });
    await app.ask("/save", { id: tide.id, version: tide.version, slug: "ebb" });
    await app.create({ name: "Other", slug: "tide", status: "published" });
    expect(await presentShareImages(app.db, json(await read(share)))).toEqual({
      "/projects/ebb/": moved,
    });
    // Both keep their own, whichever changes.
    const both = await choose({ "/projects/tide/": { src: second, alt: "Boats" } });
    expect(both).toEqual({
      "/projects/ebb/": moved,
      "/projects/tide/": { ...moved, src: second, alt: "Boats" },
    });
    expect(await choose({ "/projects/tide/": null })).toEqual({ "/projects/ebb/": moved });
    expect(await choose({ "/projects/ebb/": null })).toEqual({});
  });

  test("an entry that doesn't name its project yet does so after the next change of the file", async () => {
    const src = await app.addImage("quay");
    const tide = await app.create({ name: "Tide", slug: "tide", status: "published" });
    const old = { src, alt: "A quay", width: 800, height: 600 };
    await put(share, JSON.stringify({ "/projects/tide/": old }, null, 2));
    await put(share, (await change(share, { "/about/": { src, alt: "" } })) ?? "");
    await app.ask("/save", { id: tide.id, version: tide.version, slug: "ebb" });
    await app.create({ name: "Other", slug: "tide", status: "published" });
    expect(await presentShareImages(app.db, json(await read(share)))).toEqual({
      "/about/": { ...old, alt: "" },
      "/projects/ebb/": old,
    });
  });

  test("neither restricted images nor restricted projects are accepted", async () => {
    const [open, secret] = [await app.addImage("quay"), await app.addImage("secret")];
    const media = (await findMediaBySrc(app.db, [secret])).get(secret);
    await restrictMedia(app.db, [media?.id ?? 0]);
    for (const part of [{ status: "draft" }, { status: "published", audience: "members" }]) {
      await app.create({ name: "Hidden", slug: "hidden", ...part });
      const { fields } = await refusal(share, {
        "/about/": { src: secret, alt: "" },
        "/projects/hidden/": { src: open, alt: "" },
        "/contact/": { src: "/media/2026/no-such.webp", alt: "" },
        "/resume/": { src: "https://evil.example/x.png", alt: "" },
        "/services/": { src: open },
      });
      expect(Object.keys(fields ?? {}).toSorted()).toEqual(
        ["/about/", "/contact/", "/projects/hidden/", "/resume/", "/services/"].map(
          (path) => `${share}:${path}`,
        ),
      );
      expect(fields?.[`${share}:/about/`]).toContain("restricted projects");
      const { items } = (await app.ask<{ items: { id: number }[] }>("/list")).data;
      await app.ask("/delete", { id: items[0]?.id });
    }
  });

  test("are offered if the site's source shows them, and aren't listed as a page", async () => {
    expect(await canChooseShareImages(await jail())).toBe(true);
    const files = (await listPages(await jail())).map(({ file }) => file);
    expect(files).toContain(about);
    expect(files).not.toContain(share);
    await put(
      "app/src/lib/share-image.ts",
      "export const shareImage = () => '/images/share.png';\n",
    );
    expect(await canChooseShareImages(await jail())).toBe(false);
  });
});
