import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  readContentFiles,
  readShippedProjects,
} from "../../packages/server/src/features/setup/content-files.ts";
import { samplePhrases } from "../../packages/server/src/features/setup/sample-phrases.ts";
import type { SetupView } from "../../packages/server/src/features/setup/schema.ts";
import { templateDir } from "../../packages/server/src/platform/paths.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let instance: TestInstance;
let admin: AdminClient;

beforeAll(async () => {
  instance = await startInstance({ config: { qa: { intervalMinutes: 0 } } });
  admin = await signIn(instance);
});
afterAll(() => instance?.[Symbol.asyncDispose]());

/** What the live release says: its texts by their path, as whoever reads a page sees them. */
async function readLive(): Promise<Map<string, string>> {
  const root = instance.paths.current;
  const names = await readdir(root, { recursive: true });
  const texts = new Map<string, string>();
  for (const name of names) {
    if (!/\.(?:html|txt|xml|json|svg)$/.test(name)) continue;
    const text = await readFile(join(root, name), "utf8");
    const plain = text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');
    texts.set(name, plain.replace(/\s+/g, " "));
  }
  return texts;
}

async function view(): Promise<SetupView> {
  return (await admin.get<SetupView>("/api/adminsetup/get")).data;
}

async function setUp(): Promise<string> {
  const { runId } = (await admin.post<{ runId: string }>("/devconsole/setup", {})).data;
  await admin.reach(runId, "preview_ready");
  return runId;
}

test("the setup is answered step by step, previewed, published, and undone", async () => {
  const fresh = await view();
  expect(fresh).toMatchObject({
    answers: {},
    site: { name: null, role: null, place: null, email: null },
    sample: { projects: 6 },
    runId: null,
  });
  expect(fresh.sample.files).toContain("brand/voice.md");

  const refused = await admin.post("/api/adminsetup/answers", { name: "  ", email: "nobody" });
  expect(refused.error).toMatchObject({
    code: "validation_failed",
    fields: { name: expect.any(String), email: expect.any(String) },
  });
  await admin.post("/api/adminsetup/answers", { name: "Ada Byron", role: "Analyst" });
  await admin.post("/api/adminsetup/answers", { email: "ada@example.org", place: "Paris" });
  await admin.post("/api/adminsetup/answers", { place: null, about: "I write programs." });
  const noImage = await admin.post("/api/adminsetup/answers", {
    portrait: { mediaId: 999_999, alt: "Ada" },
  });
  expect(noImage.error).toMatchObject({ fields: { portrait: expect.any(String) } });
  expect((await view()).answers).toEqual({
    name: "Ada Byron",
    role: "Analyst",
    email: "ada@example.org",
    about: "I write programs.",
  });

  const runId = await setUp();
  expect((await view()).runId).toBe(runId);
  const before = await readLive();
  expect(before.get("index.html")).toContain("Mara Lindqvist");
  const run = await admin.reach(runId, "preview_ready");
  expect(run.message).toBe("Set up the site for Ada Byron");
  expect(run.filesChanged.map(({ path }) => path)).toContain("app/src/content/site.json");
  const published = await admin.post("/devconsole/publish", { runId });
  expect(published.error).toBeNull();
  await admin.reach(runId, "published");

  const live = await readLive();
  const phrases = samplePhrases(
    await readContentFiles(templateDir),
    await readShippedProjects(templateDir),
  ).filter((phrase) => phrase.length >= 12);
  const left = [...live].flatMap(([file, text]) =>
    phrases.filter((phrase) => text.includes(phrase)).map((phrase) => `${file}: ${phrase}`),
  );
  expect(left).toEqual([]);
  for (const [file, text] of live) {
    expect([file, text.match(/Mara|Lindqvist|Gothenburg|€|Tidewater/)?.[0]]).toEqual([
      file,
      undefined,
    ]);
  }
  const home = live.get("index.html") ?? "";
  expect(home).toContain("<title>Ada Byron, Analyst</title>");
  expect(home).toContain("mailto:ada@example.org");
  expect(live.get("rss.xml")).toContain("Ada Byron");
  // What has no content is off: no page, no link, no address in the sitemap.
  for (const off of ["services", "resume"]) {
    expect([...live.keys()].filter((name) => name.startsWith(off))).toEqual([]);
    for (const text of live.values()) expect(text).not.toContain(`/${off}/`);
  }
  expect(live.get("about/index.html")).toContain("I write programs.");
  expect(await view()).toMatchObject({
    site: { name: "Ada Byron", role: "Analyst", place: "", email: "ada@example.org" },
    sample: { files: [], projects: 0 },
    runId: null,
  });

  // The owner's name changes: so does the site's, by a run of its own that can be taken back.
  const same = await admin.post("/devconsole/site-name", { name: "Ada Byron" });
  expect(same.error).toMatchObject({ code: "invalid_state" });
  const renamed = await admin.post<{ runId: string }>("/devconsole/site-name", {
    name: "Ada Lovelace",
  });
  const renaming = await admin.reach(renamed.data.runId, "preview_ready");
  expect(renaming.message).toBe("Change the name on the site from Ada Byron to Ada Lovelace");
  expect((await readLive()).get("index.html")).not.toContain("Lovelace");
  await admin.post("/devconsole/publish", { runId: renamed.data.runId });
  await admin.reach(renamed.data.runId, "published");
  const renamedHome = (await readLive()).get("index.html") ?? "";
  expect(renamedHome).toContain("<title>Ada Lovelace, Analyst</title>");
  const back = await admin.post<{ runId: string }>("/devconsole/restore", {
    runId: renamed.data.runId,
  });
  await admin.reach(back.data.runId, "published");
  expect((await readLive()).get("index.html")).toContain("<title>Ada Byron, Analyst</title>");

  await admin.post("/api/adminsetup/answers", {
    services: [{ name: "Notes on engines", text: "", price: "£20" }],
  });
  const second = await setUp();
  await admin.post("/devconsole/publish", { runId: second });
  await admin.reach(second, "published");
  const offered = (await readLive()).get("services/index.html");
  expect(offered).toContain("Notes on engines");
  expect(offered).toContain("£20");

  const { data } = await admin.post<{ runId: string }>("/devconsole/restore", { runId: second });
  await admin.reach(data.runId, "published");
  expect((await readLive()).has("services/index.html")).toBe(false);
  const undo = await admin.post<{ runId: string }>("/devconsole/restore", { runId });
  await admin.reach(undo.data.runId, "published");
  const again = await readLive();
  expect(again.get("index.html")).toContain("Mara Lindqvist");
  expect([...again.keys()].filter((name) => /^projects\/[^/]+\/index/.test(name))).toHaveLength(6);
});
