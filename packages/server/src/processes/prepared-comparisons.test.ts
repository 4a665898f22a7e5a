import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseMaker, dialects, startDialect } from "../../../../test/support/postgres.ts";
import { silentLog } from "../../../../test/support/publish/publish-instance.ts";
import { siteIn } from "../../../../test/support/reviewed-site.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { makePrivateGate, type PrivateGate } from "../features/release/private/private-gate.ts";
import type { RecordChange } from "../features/projects/run-changes/change.ts";
import { type Database, type Db, openDatabase } from "../platform/db/connect.ts";
import { instancePaths, type InstancePaths } from "../platform/paths.ts";
import { otherPrivateTexts } from "./publishing.ts";

const at = "2026-01-01T00:00:00.000Z";
const words = "The merger with Quillfeather Limited is announced in Gothenburg in October.";
const email = "maud.ellery@people.example";
const name = "Project Zephyrine";
const image = "/media/2026/harbour.webp";
/** What a public project says as well. */
const shown = "An open exhibition of maps that everybody may see in the old harbour hall.";
/** What the preview says; each test makes one of these private in some record. */
const page = `<h1>${name}</h1><p>${words}</p><p>${email}</p><p>${shown}</p>`;

async function site(dir: string, files: Record<string, string>): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  for (const [path, text] of Object.entries({ "a.txt": "a", ...files })) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  await writeFile(`${dir}.json`, JSON.stringify((await siteIn(dir)).manifest));
}

/** Makes each table what it was before: nothing of it is in the preview. */
async function resetRecords(db: Db): Promise<void> {
  const gallery = JSON.stringify([{ src: image, caption: "" }]);
  const project = (id: number, slug: string, status: string) =>
    sql`insert into project (id, slug, name, status, gallery, position, created_at, updated_at)
      values (${id}, ${slug}, ${slug}, ${status}, ${id === 1 ? gallery : "[]"}, ${id}, ${at}, ${at})`;
  const tables = ["contact_message", "user_account", "media", "project"];
  for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(db);
  await project(1, "hidden-work", "draft").execute(db);
  await project(2, "open-work", "published").execute(db);
  await sql`update project set body = ${shown} where id = 2`.execute(db);
  await sql`insert into media (id, kind, src, original_name, mime, bytes, original_bytes, width, height,
      variants, sha256, alt, created_at)
    values (1, 'image', ${image}, 'h', 'image/webp', 1, 1, 1, 1, '[]', 'h', 'Boats', ${at})`.execute(
    db,
  );
  await sql`insert into contact_message (id, name, email, message, at, ip)
    values (1, 'V', 'v@people.example', 'Hello there', ${at}, '')`.execute(db);
  await sql`insert into user_account (id, email, created_at, updated_at)
    values (1, 'u@people.example', ${at}, ${at})`.execute(db);
  await sql`insert into invitation (id, project_id, email, created_at)
    values (1, 1, 'i@people.example', ${at})`.execute(db);
}

const change: RecordChange = {
  record: "project:1",
  projectId: 1,
  field: "body",
  before: "",
  after: words,
  changedAt: at,
};

/** Changes after which the preview has private text, each made by another connection. */
const changes: Record<string, (db: Db) => Promise<unknown>> = {
  "a draft’s text": (db) => sql`update project set body = ${words} where id = 1`.execute(db),
  "a draft’s name": (db) => sql`update project set name = ${name} where id = 1`.execute(db),
  "a draft’s slug": (db) =>
    sql`update project set slug = 'project-zephyrine' where id = 1`.execute(db),
  "a former slug": (db) =>
    sql`insert into project_redirect values ('project-zephyrine', 1, ${at})`.execute(db),
  "a new draft": (db) =>
    sql`insert into project (id, slug, name, status, summary, position, created_at, updated_at)
      values (3, 'third', 'Third', 'draft', ${words}, 3, ${at}, ${at})`.execute(db),
  "a project that is hidden": (db) =>
    sql`update project set status = 'archived' where id = 2`.execute(db),
  "a project for members": (db) =>
    sql`insert into project_audience values (2, 'members')`.execute(db),
  "a brief": (db) => sql`insert into project_brief values (1, ${words})`.execute(db),
  "an image’s description": (db) => sql`update media set alt = ${words}`.execute(db),
  "a message": (db) => sql`update contact_message set message = ${words}`.execute(db),
  "a sender’s address": (db) => sql`update contact_message set email = ${email}`.execute(db),
  "an account": (db) => sql`update user_account set email = ${email}`.execute(db),
  "a linked account": (db) =>
    sql`insert into linked_account (user_id, provider, issuer, subject, email, created_at)
      values (1, 'p', 'i', 's', ${email}, ${at})`.execute(db),
  "an invitation": (db) => sql`update invitation set email = ${email}`.execute(db),
  "an invitation’s note": (db) => sql`update invitation set note = ${words}`.execute(db),
  "a visit": (db) =>
    sql`insert into project_visit (project_id, email, first_at, last_at)
      values (1, ${email}, ${at}, ${at})`.execute(db),
};

describe.each(dialects)("a comparison in advance, on %s", (dialect) => {
  let maker: DatabaseMaker;
  let folder: TempFolder;
  let paths: InstancePaths;
  let database: Database;
  let other: Database;
  let gate: PrivateGate;
  let comparisons: number;
  let preview: string;

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());

  beforeEach(async () => {
    folder = await tempFolder();
    paths = instancePaths(folder.path);
    const made = await maker.make();
    ({ database } = made);
    other = openDatabase(made.address);
    await resetRecords(other.db);
    comparisons = 0;
    async function* counting() {
      comparisons += 1;
      yield [];
    }
    const otherTexts = [counting, ...otherPrivateTexts];
    gate = makePrivateGate({ db: database.db, paths, log: silentLog, otherTexts });
    await mkdir(paths.releases, { recursive: true });
    await site(join(paths.releases, "1"), { "index.html": "<h1>Old</h1>" });
    await symlink("releases/1", paths.current);
    preview = join(paths.artifacts, "preview");
    await site(preview, { "index.html": page, [image.slice(1)]: "image" });
    await gate.prepare(preview, []);
  });
  afterEach(async () => {
    await gate.close();
    await other.close();
    await folder.remove();
  });

  const refused = { code: "private_text" };

  test("is what a publish goes by while nothing has changed", async () => {
    await sql`update project set position = 9, updated_at = ${at}`.execute(other.db);
    expect(await gate.assertPublic(preview)).toBeNull();
    await gate.prepare(preview, []);
    const before = comparisons;
    expect(await gate.assertPublic(preview)).toBeNull();
    expect(await gate.compare(preview)).toMatchObject({ total: 0 });
    expect(comparisons).toBe(before);
  });

  test("isn’t, after a change of anything that is private, and is again when that is undone", async () => {
    const seen: [change: string, result: string, comparisons: number][] = [];
    const publish = async (what: string) => {
      const before = comparisons;
      const result = await gate.assertPublic(preview).then(
        () => "public",
        (error: { code: string }) => error.code,
      );
      seen.push([what, result, comparisons - before]);
    };
    for (const [what, write] of Object.entries(changes)) {
      await write(other.db);
      await publish(what);
      await resetRecords(other.db);
      await publish(what);
    }
    expect(seen).toEqual(
      Object.keys(changes).flatMap((what) => [
        [what, "private_text", 1],
        [what, "public", 0],
      ]),
    );
  });

  test("isn’t for a run with other record changes", async () => {
    await expect(gate.assertPublic(preview, null, [change])).rejects.toMatchObject(refused);
  });

  test("isn’t for other bytes, in another preview or in the same folder", async () => {
    await sql`update project set body = ${"A quiet harbour that nobody has ever seen from here."} where id = 1`.execute(
      other.db,
    );
    await gate.prepare(preview, []);
    const secret = { "index.html": "A quiet harbour that nobody has ever seen from here." };
    const another = join(paths.artifacts, "another");
    await site(another, secret);
    await expect(gate.assertPublic(another)).rejects.toMatchObject(refused);
    await site(preview, secret);
    await expect(gate.assertPublic(preview)).rejects.toMatchObject(refused);
  });

  test("isn’t if a file had other bytes than its manifest said", async () => {
    await writeFile(join(preview, "index.html"), "<h1>Old</h1>");
    await gate.prepare(preview, []);
    await writeFile(join(preview, "index.html"), page);
    const before = comparisons;
    await gate.assertPublic(preview);
    expect(comparisons).toBe(before + 1);
  });

  test("isn’t once the live site is another one", async () => {
    await sql`update project set status = 'draft' where id = 2`.execute(other.db);
    await site(join(paths.releases, "2"), { "index.html": page });
    await rm(paths.current);
    await symlink("releases/2", paths.current);
    await gate.prepare(preview, []);
    expect(await gate.assertPublic(preview)).toBeNull();
    await rm(paths.current);
    await symlink("releases/1", paths.current);
    await expect(gate.assertPublic(preview)).rejects.toMatchObject(refused);
  });

  test("isn’t once what was a stored image is none", async () => {
    const stored = join(paths.content, "app/public", image);
    await mkdir(dirname(stored), { recursive: true });
    await writeFile(stored, "image");
    const text = "A quiet harbour that nobody has ever seen from here.";
    await site(preview, { [image.slice(1)]: text });
    await sql`update project set body = ${text} where id = 1`.execute(other.db);
    await gate.prepare(preview, []);
    expect(await gate.assertPublic(preview)).toBeNull();
    await rm(stored);
    await expect(gate.assertPublic(preview)).rejects.toMatchObject(refused);
  });

  test("is awaited while it goes on, and a failed one is made again", async () => {
    const before = comparisons;
    const going = gate.prepare(preview, [change]);
    await expect(gate.assertPublic(preview, null, [change])).rejects.toMatchObject(refused);
    await going;
    await expect(gate.assertPublic(preview, null, [change])).rejects.toMatchObject(refused);
    expect(comparisons).toBeLessThanOrEqual(before + 2);
    const manifest = await readFile(`${preview}.json`);
    await rm(`${preview}.json`);
    await gate.prepare(preview, []);
    await writeFile(`${preview}.json`, manifest);
    expect(await gate.assertPublic(preview)).toBeNull();
  });
});
