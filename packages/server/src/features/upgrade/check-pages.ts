import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Agent from "undici/lib/dispatcher/agent.js";
import { request } from "../../platform/http-request.ts";
import { AppError } from "../../kit/errors.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { currentRelease, releasePath } from "../release/current-symlink.ts";
import { type Manifest, readManifest } from "../release/artifact/artifact.ts";

/** How many pages are compared: the home page, and others from everywhere in the site. */
const maxPages = 5;
const maxPageBytes = 4 * 2 ** 20;
const timeoutMs = 20_000;

/** A page and its title. */
export interface TitledPage {
  path: string;
  title: string;
}

function titleOf(html: string): string {
  return (/<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1] ?? "").trim();
}

/** The home page, and pages at equal distances in the sorted list of all. */
function choosePages({ files }: Manifest): string[] {
  const all = Object.entries(files)
    .filter(([path, { type }]) => type.startsWith("text/html") && path.endsWith("/"))
    .map(([path]) => path)
    .toSorted();
  const others = all.filter((path) => path !== "/");
  const wanted = Math.min(others.length, maxPages - 1);
  const step = others.length / Math.max(1, wanted);
  const chosen = Array.from({ length: wanted }, (_, at) => others[Math.floor(at * step)] ?? "/");
  return all.includes("/") ? ["/", ...chosen] : chosen;
}

/** Up to five pages of the live release with their titles; none without a release. */
export async function livePages(paths: InstancePaths): Promise<TitledPage[]> {
  const release = await currentRelease(paths);
  if (release === null) return [];
  const dir = releasePath(paths, release);
  const manifest = await readManifest(`${dir}.json`);
  return Promise.all(
    choosePages(manifest).map(async (path) => {
      const file = join(dir, manifest.files[path]?.file ?? "");
      return { path, title: titleOf(await readFile(file, "utf8")) };
    }),
  );
}

/** A server on this machine, and the host that its site has for visitors. */
export interface LocalSite {
  address: string;
  host: string;
}

async function read({ address, host }: LocalSite, path: string, dispatcher: Agent) {
  const url = `http://${address}${encodeURI(path)}`;
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const answer = await request(url, { dispatcher, headers: { host }, ...limits });
  return {
    status: answer.statusCode,
    type: String(answer.headers["content-type"] ?? ""),
    text: await answer.body.text(),
  };
}

function failed(message: string, cause?: unknown): AppError {
  return new AppError("unavailable", message, { cause });
}

/** Parts without which no site and no administration works, whatever else is degraded. */
const neededParts = new Set(["database", "migrations", "runner", "site"]);

interface HealthAnswer {
  data: { status: string; checks: Record<string, { status: string; note?: string }> };
}

async function assertHealthy(site: LocalSite, dispatcher: Agent): Promise<void> {
  const { text } = await read(site, "/api/health", dispatcher);
  const { status, checks } = (JSON.parse(text) as HealthAnswer).data;
  const down = Object.entries(checks).filter(
    ([name, check]) => check.status === "down" && (status === "down" || neededParts.has(name)),
  );
  if (down.length === 0 && status !== "down") return;
  const parts = down.map(([name, { note }]) => (note ? `${name} (${note})` : name));
  throw failed(`With the new version, this is down: ${parts.join(", ")}.`);
}

async function assertPage(site: LocalSite, page: TitledPage, dispatcher: Agent): Promise<void> {
  const { status, type, text } = await read(site, page.path, dispatcher);
  if (status !== 200) throw failed(`The new version answers ${page.path} with ${status}.`);
  if (!type.startsWith("text/html")) {
    throw failed(`The new version answers ${page.path} as ${type || "a file without a type"}.`);
  }
  const title = titleOf(text);
  if (title === page.title) return;
  throw failed(
    `With the new version, ${page.path} has the title “${title}” instead of “${page.title}”.`,
  );
}

/**
 * Asks a new version for its health and for these pages: each has to be there with the title that
 * it has now. Throws `unavailable` with what is wrong.
 */
export async function checkPages(site: LocalSite, pages: readonly TitledPage[]): Promise<void> {
  const dispatcher = new Agent({ maxResponseSize: maxPageBytes });
  try {
    await assertHealthy(site, dispatcher);
    for (const page of pages) await assertPage(site, page, dispatcher);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw failed("The new version doesn't answer.", error);
  } finally {
    await dispatcher.destroy();
  }
}
