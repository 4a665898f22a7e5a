import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "parse5";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import { readManifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import type { SiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { type RunsApp, startRunsApp } from "../support/runs-app.ts";
import { scriptedAgent, writePage } from "../support/runs-site.ts";
import { buildTemplate, sampleSnapshot } from "./template-site.ts";

let app: RunsApp;
let runId: string;
/** Where the preview's pages are, for the session. */
let pages: string;
/** Where what its pages load is, for the ticket alone. */
let prefix: string;

/** Builds the default site, whatever the workspace holds. */
const templateBuilder = (artifactsDir: string, buildersDir: string): SiteBuilder => ({
  tier: "none",
  reason: null,
  memory: "watched",
  async build() {
    const { site } = await buildTemplate(join(buildersDir, "site"), await sampleSnapshot());
    const artifact = await storeArtifact({
      outDir: site,
      mediaDir: join(buildersDir, "none"),
      artifactsDir,
      bounds: { bytes: 2 ** 30, files: 10_000 },
    });
    return { ...artifact, reusedCode: false, durationMs: 1 };
  },
  tidy: async () => {},
  prepare: () => {},
  verifiedFiles: () => undefined,
  compileCode: async () => {},
  waitUntilWarm: async () => {},
  close: async () => {},
});

beforeAll(async () => {
  app = await startRunsApp({
    makeBuilder: async (paths) => templateBuilder(paths.artifacts, paths.builders),
  });
  runId = await app.edit(scriptedAgent((context) => writePage(context, "about.html", "x")));
  const { text } = await app.ask(`/_preview/${runId}/`);
  pages = `/_preview/${runId}`;
  prefix = filesPrefix(text);
});
afterAll(() => app?.cleanup());

function filesPrefix(page: string): string {
  return /src="(\/_preview\/[^"]*?)\/_vitrine\/frame\.js"/.exec(page)?.[1] ?? "";
}

/** Asks as the browser does: pages with the session, what they load by the ticket alone. */
const ask = (path: string) =>
  path.includes("/~") ? app.ask(path, { headers: { cookie: "" } }) : app.ask(path);

interface Node {
  tagName?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
}

/** The addresses that a page links to or loads. */
function addressesIn(html: string): string[] {
  const found: string[] = [];
  const visit = (node: Node) => {
    for (const { name, value } of node.attrs ?? []) {
      const isIdentity =
        node.tagName === "link" &&
        node.attrs?.some((attr) => attr.name === "rel" && /canonical|alternate/.test(attr.value));
      if (["href", "src", "poster", "action"].includes(name) && !isIdentity) found.push(value);
      if (name === "srcset") {
        found.push(...value.split(/,\s/).map((part) => part.trim().split(/\s/)[0] ?? ""));
      }
    }
    for (const child of node.childNodes ?? []) visit(child);
  };
  visit(parse(html) as Node);
  return found;
}

const cssAddresses = (css: string) =>
  [...css.matchAll(/url\(\s*["']?([^"')]+)/g)].map(([, address = ""]) => address);

test("every page of the default site works in its preview and links nowhere else", async () => {
  expect(prefix).toContain(runId);
  const seen = new Set([`${pages}/`]);
  const problems: string[] = [];
  let pageCount = 0;
  for (const path of seen) {
    const { status, text, headers } = await ask(path);
    const type = String(headers["content-type"]);
    if (status !== 200) problems.push(`${path} is ${status}`);
    if (type.startsWith("text/html")) pageCount += 1;
    const addresses = type.startsWith("text/html")
      ? addressesIn(text)
      : type.startsWith("text/css")
        ? cssAddresses(text)
        : [];
    for (const address of addresses) {
      const target = new URL(address, `http://site${path}`);
      if (target.origin !== "http://site") continue;
      if (!target.pathname.startsWith(`${pages}/`)) problems.push(`${path} leads to ${address}`);
      // Each page has a ticket of its own.
      const known = target.pathname.replace(/\/~[^/]+/, prefix.slice(pages.length));
      const inSite = known.replace(prefix, "").replace(pages, "");
      // The sample's images are not part of this build, and nothing takes a message there.
      if (known.startsWith(`${pages}/`) && !/^\/(?:media|api)\//.test(inSite)) seen.add(known);
    }
  }
  expect(problems).toEqual([]);
  expect(pageCount).toBeGreaterThan(8);
  expect(seen.size).toBeGreaterThan(15);
});

test("a page's texts stay unchanged", async () => {
  const { artifactSha } = await app.runs.getPreview(runId);
  const dir = join(app.paths.artifacts, artifactSha);
  const { files } = await readManifest(`${dir}.json`);
  let compared = 0;
  for (const [path, file] of Object.entries(files)) {
    if (!file.type.startsWith("text/html") || path === "/404.html") continue;
    const { text } = await ask(pages + path);
    const own = filesPrefix(text);
    const built = await readFile(join(dir, file.file), "utf8");
    // Taking the prefixes away gives the file again, but for the quotes around rewritten attributes
    // and the one script that speaks with the console.
    const plain = (html: string) =>
      html.replaceAll(own, "").replaceAll(pages, "").replaceAll(/["']/g, "");
    const ours = `<script defer src="${own}/_vitrine/frame.js"></script>`;
    expect(text.split(ours)).toHaveLength(2);
    expect(plain(text.replace(ours, "")).replaceAll("https://example.com/", "/")).toBe(
      plain(built).replaceAll("https://example.com/", "/"),
    );
    compared += 1;
  }
  expect(compared).toBeGreaterThan(8);
});
