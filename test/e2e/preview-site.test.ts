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
    return { ...artifact, durationMs: 1 };
  },
  tidy: async () => {},
  waitUntilWarm: async () => {},
  close: async () => {},
});

beforeAll(async () => {
  app = await startRunsApp({
    makeBuilder: async (paths) => templateBuilder(paths.artifacts, paths.builders),
  });
  runId = await app.edit(scriptedAgent((context) => writePage(context, "about.html", "x")));
  const { text } = await app.ask(`/_preview/${runId}/`);
  prefix = /href="(\/_preview\/[^"]*?)\/"/.exec(text)?.[1] ?? "";
});
afterAll(() => app?.cleanup());

/** Asks as the preview's frame does: by the ticket alone. */
const ask = (path: string) => app.ask(path, { headers: { cookie: "" } });

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

test("every page of the default site works in its preview, and leads nowhere else", async () => {
  expect(prefix).toContain(runId);
  const seen = new Set([`${prefix}/`]);
  const problems: string[] = [];
  let pages = 0;
  for (const path of seen) {
    const { status, text, headers } = await ask(path);
    const type = String(headers["content-type"]);
    if (status !== 200) problems.push(`${path} is ${status}`);
    if (type.startsWith("text/html")) pages += 1;
    const addresses = type.startsWith("text/html")
      ? addressesIn(text)
      : type.startsWith("text/css")
        ? cssAddresses(text)
        : [];
    for (const address of addresses) {
      const target = new URL(address, `http://site${path}`);
      if (target.origin !== "http://site") continue;
      if (!target.pathname.startsWith(`${prefix}/`)) problems.push(`${path} leads to ${address}`);
      // The sample's images are not part of this build, and nothing takes a message there.
      else if (!/^\/(?:media|api)\//.test(target.pathname.slice(prefix.length))) {
        seen.add(target.pathname);
      }
    }
  }
  expect(problems).toEqual([]);
  expect(pages).toBeGreaterThan(8);
  expect(seen.size).toBeGreaterThan(15);
});

test("a page's own words come through unchanged", async () => {
  const { artifactSha } = await app.runs.getPreview(runId);
  const dir = join(app.paths.artifacts, artifactSha);
  const { files } = await readManifest(`${dir}.json`);
  let compared = 0;
  for (const [path, file] of Object.entries(files)) {
    if (!file.type.startsWith("text/html") || path === "/404.html") continue;
    const { text } = await ask(prefix + path);
    const built = await readFile(join(dir, file.file), "utf8");
    // Taking the prefix away gives the file again, but for the quotes around rewritten attributes
    // and the one script that speaks with the console.
    const plain = (html: string) => html.replaceAll(prefix, "").replaceAll(/["']/g, "");
    const ours = `<script defer src="${prefix}/_vitrine/frame.js"></script>`;
    expect(text.split(ours)).toHaveLength(2);
    expect(plain(text.replace(ours, "")).replaceAll("https://example.com/", "/")).toBe(
      plain(built).replaceAll("https://example.com/", "/"),
    );
    compared += 1;
  }
  expect(compared).toBeGreaterThan(8);
});
