/**
 * Other generators with the same projects. Astro builds the very site; Eleventy and Hugo build a plain
 * one of the same texts: a page for each project, one for each category, and one that lists them all.
 * They have no search, share images, PDF, or compressed files, so they show what is possible, not what
 * is equal. Each builds everything after a change, as a host does that has no cache.
 */
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import type {
  Snapshot,
  SnapshotProject,
} from "../../packages/server/src/features/release/snapshot.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { removeTree } from "../../packages/server/src/platform/files.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { findProgram } from "../../packages/server/src/platform/system-tools.ts";
import type { TestInstance } from "../../test/support/instance.ts";
import { ensurePeers, peerFolder } from "../support/peer-packages.ts";

export type PeerName = "astro" | "eleventy" | "hugo";

export interface Peer {
  name: PeerName;
  /** In the command lines of its processes only. */
  program: string;
  /** Writes its sources into a folder that is empty. */
  prepare(dir: string, content: string, snapshot: Snapshot): Promise<void>;
  command(dir: string): [program: string, ...args: string[]];
}

const timeoutMs = 60 * 60_000;
const eleventyProgram = "node_modules/@11ty/eleventy/cmd.cjs";

const layout = (body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title></head><body>${body}</body></html>\n`;

async function writeAll(dir: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, ".."), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}

/** A project as a Markdown file; JSON is YAML, too. */
function markdownOf({ name, summary, categories, body }: SnapshotProject, more: object): string {
  const front = JSON.stringify({ title: name, description: summary, categories, ...more });
  return `---\n${front}\n---\n${body}\n`;
}

const astro: Peer = {
  name: "astro",
  program: "records/plain-build.ts",
  async prepare(dir, content, snapshot) {
    await symlink(join(platformRoot, "node_modules"), join(dir, "node_modules"));
    for (const folder of ["app", "brand"]) {
      await cp(join(content, folder), join(dir, folder), { recursive: true });
    }
    await writeFile(join(dir, "snapshot.json"), JSON.stringify(snapshot));
  },
  command(dir) {
    const script = join(import.meta.dirname, "../records/plain-build.ts");
    return [nodeBinary, script, dir, join(dir, "out"), "https://example.com"];
  },
};

const eleventy: Peer = {
  name: "eleventy",
  program: eleventyProgram,
  async prepare(dir, _content, { projects }) {
    const list = `<ul>{% for page in collections.project %}<li><a href="{{ page.url }}">{{ page.data.title }}</a> {{ page.data.description }}</li>{% endfor %}</ul>`;
    await writeAll(dir, {
      "_includes/page.liquid": layout("<h1>{{ title }}</h1>{{ content }}"),
      "index.liquid": `---\ntitle: Projects\nlayout: page.liquid\n---\n${list}`,
      "category.liquid": `---\npagination: { data: collections.categories, size: 1, alias: category }\npermalink: "/categories/{{ category.name | slugify }}/"\nlayout: page.liquid\ntitle: Category\n---\n<ul>{% for page in category.pages %}<li><a href="{{ page.url }}">{{ page.data.title }}</a></li>{% endfor %}</ul>`,
      "eleventy.config.js": `export default (config) => {
  config.addCollection("categories", (all) => {
    const pages = all.getFilteredByTag("project");
    const names = [...new Set(pages.flatMap(({ data }) => data.categories))];
    return names.map((name) => ({ name, pages: pages.filter(({ data }) => data.categories.includes(name)) }));
  });
};\n`,
    });
    const more = { tags: "project", layout: "page.liquid" };
    const files = projects.map((one) => [`projects/${one.slug}.md`, markdownOf(one, more)]);
    await writeAll(dir, Object.fromEntries(files) as Record<string, string>);
  },
  command: () => [nodeBinary, join(peerFolder, eleventyProgram), "--quiet", "--output=out"],
};

const hugo: Peer = {
  name: "hugo",
  program: "hugo",
  async prepare(dir, _content, { projects }) {
    const list = `<ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a> {{ .Description }}</li>{{ end }}</ul>`;
    await writeAll(dir, {
      "config.json": JSON.stringify({
        baseURL: "https://example.com/",
        title: "Projects",
        taxonomies: { category: "categories" },
        disableKinds: ["RSS"],
      }),
      "layouts/_default/single.html": layout("<h1>{{ .Title }}</h1>{{ .Content }}").replace(
        "{{ title }}",
        "{{ .Title }}",
      ),
      "layouts/_default/list.html": layout(list).replace("{{ title }}", "{{ .Title }}"),
    });
    const files = projects.map((one) => {
      return [`content/projects/${one.slug}.md`, markdownOf(one, {})];
    });
    await writeAll(dir, Object.fromEntries(files) as Record<string, string>);
  },
  command: (dir) => ["hugo", "--quiet", "--source", dir, "--destination", join(dir, "out")],
};

/** The peers that this machine has; says which ones are left out. */
export function availablePeers(): Peer[] {
  const peers = [astro];
  if (ensurePeers(eleventyProgram)) peers.push(eleventy);
  else console.error("Eleventy can't be installed, so it isn't measured.");
  if (findProgram(["hugo"])) peers.push(hugo);
  else console.error("Hugo isn't installed, so it isn't measured: npm run tools -- --bench");
  return peers;
}

/** Writes a peer's sources, with the records of an instance, into a new folder. */
export async function preparePeer(peer: Peer, instance: TestInstance, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const database = openDatabase({ url: null, file: instance.paths.database });
  const owner = { name: "Ada", timeZone: "UTC" };
  const { snapshot } = await exportSite(database.db, { baseUrl: instance.baseUrl, owner });
  await database.close();
  await peer.prepare(dir, instance.paths.content, snapshot);
}

/** Builds a peer's site from nothing. */
export async function buildPeer(peer: Peer, dir: string): Promise<void> {
  const [program, ...args] = peer.command(dir);
  const result = await run(program, args, {
    cwd: dir,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: dir,
      NODE_ENV: "production",
      ASTRO_TELEMETRY_DISABLED: "1",
    },
    timeoutMs,
  });
  if (result.exitCode !== 0) throw new Error(`${peer.name}: ${result.stderr}${result.stdout}`);
}

/** Removes what the last build has made. */
export async function cleanPeer(dir: string): Promise<void> {
  for (const folder of ["out", "cache"]) await removeTree(join(dir, folder));
}
