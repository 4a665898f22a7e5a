import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTemplate, sampleSnapshot } from "../../../../../../test/e2e/template-site.ts";
import type { Change } from "../../../../../../test/support/review/change.ts";
import { benignCases } from "../../../../../../test/support/review/benign-cases.ts";
import { originCases } from "../../../../../../test/support/review/origin-cases.ts";
import { scriptCases } from "../../../../../../test/support/review/script-cases.ts";
import { unreadableCases } from "../../../../../../test/support/review/unreadable-cases.ts";
import {
  changedSite,
  type FileEdits,
  type ReviewedSite,
  siteIn,
} from "../../../../../../test/support/reviewed-site.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import { nodeBinary, platformRoot } from "../../../platform/paths.ts";
import { run } from "../../../platform/process.ts";
import { type Addition, compareSites } from "./compare.ts";

let folder: TempFolder;
let live: ReviewedSite;
let count = 0;

beforeAll(async () => {
  folder = await tempFolder();
  const { site } = await buildTemplate(
    join(folder.path, "site"),
    await sampleSnapshot(),
    {},
    // Its sources are changed afterwards.
    { anew: true },
  );
  // The next build empties its folder.
  await rename(site, join(folder.path, "live"));
  live = await siteIn(join(folder.path, "live"));
}, 180_000);
afterAll(() => folder?.remove());

function editsOf(change: Change): FileEdits {
  const into = (mark: string, snippet: string): FileEdits => ({
    "about/index.html": (text) => text.replace(mark, () => `${snippet}${mark}`),
  });
  if (typeof change === "string") return into("</main>", change);
  return typeof change["head"] === "string"
    ? into("</head>", change["head"])
    : (change as FileEdits);
}

async function additionsOf(change: Change): Promise<Addition[]> {
  const next = await changedSite(live, join(folder.path, String((count += 1))), editsOf(change));
  return compareSites({ next, live, host: "example.com" }).added;
}

describe.each([
  { kind: "script", cases: scriptCases },
  { kind: "origin", cases: originCases },
  { kind: "unread", cases: unreadableCases },
])("a person looks at what brings: $kind", ({ kind, cases }) => {
  test.each(cases)("%s", async (_, change) => {
    const added = await additionsOf(change);
    expect(added.map((one) => one.kind)).toContain(kind);
  });
});

test.each(benignCases)("nobody need look at: %s", async (_, change) => {
  expect(await additionsOf(change)).toEqual([]);
});

/** A page as somebody would add one, with the template's parts. */
const colophon = `---
import Page from "../layouts/Page.astro";
import PageHeading from "../components/PageHeading.astro";
---
<Page title="Colophon" description="How this site is made.">
  <div class="wrap">
    <PageHeading title="Colophon" />
    <img src="/images/colophon.svg" alt="A press" width="90" height="90" loading="lazy" />
    <p>Set in two faces. <a href="/about/">More about me</a>.</p>
  </div>
</Page>
<style>img { border-radius: 1rem; background: url(/images/share.png) }</style>
`;

test("everyday changes to the source, built by Astro, give no reason", async () => {
  const built = join(folder.path, "site");
  const edit = async (file: string, change: (text: string) => string) => {
    const text = await readFile(join(built, file), "utf8");
    expect(change(text)).not.toBe(text);
    await writeFile(join(built, file), change(text));
  };
  await edit("app/src/content/site.json", (text) =>
    text
      .replace(/("tagline": ")[^"]*/, "$1Software & signs, made < calm >.")
      .replace(
        '{ "label": "RSS"',
        '{ "label": "Colophon", "href": "/colophon/" }, { "label": "RSS"',
      ),
  );
  await edit("app/src/styles/theme.css", (text) => text.replace("#4a5059", "#444a53"));
  await edit("snapshot.json", (text) => {
    const snapshot = JSON.parse(text) as Awaited<ReturnType<typeof sampleSnapshot>>;
    const [project] = snapshot.projects;
    if (project) snapshot.projects.push({ ...project, slug: "one-more", name: "One more" });
    snapshot.changelog.push({
      at: "2026-11-20T10:00:00.000Z",
      kind: "content",
      title: "One more project",
      detail: "It is about <b> & {braces}; see https://old.example.",
      actor: "Editor",
    });
    return JSON.stringify(snapshot);
  });
  await writeFile(join(built, "app/src/pages/colophon.astro"), colophon);
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9"/></svg>';
  await writeFile(join(built, "app/public/images/colophon.svg"), drawing);
  const builder = join(platformRoot, "test/e2e/template-site.ts");
  const env = { PATH: "/usr/bin:/bin", HOME: built, ASTRO_TELEMETRY_DISABLED: "1" };
  const { exitCode, stderr } = await run(nodeBinary, [builder, built, "https://example.com"], {
    cwd: built,
    env: { ...env, NODE_ENV: "production" },
    timeoutMs: 170_000,
  });
  expect([exitCode, stderr]).toEqual([0, expect.anything()]);
  const next = await siteIn(join(built, "out"));
  expect(Object.keys(next.manifest.files)).toContain("/colophon/");
  expect(Object.keys(next.manifest.files)).toContain("/projects/one-more/");
  const { added, removedPages, removedFiles, emptiedPages } = compareSites({
    next,
    live,
    host: "example.com",
  });
  expect({ added, removedPages, removedFiles, emptiedPages }).toEqual({
    added: [],
    removedPages: [],
    removedFiles: [],
    emptiedPages: [],
  });
}, 180_000);
