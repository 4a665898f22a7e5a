import { readFile } from "node:fs/promises";
import type { InstancePaths } from "../../platform/paths.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import type { findShellSlots, ShellSlots } from "./page-shell-worker.ts";
import { makeLiveReleases, type SiteFile } from "./site/live-release.ts";

/** A page of the site whose content comes from elsewhere. */
export interface PageShell {
  /** The page's own title, as text. */
  title: string;
  /** The whole page with this title (text) and this content (safe HTML). */
  render(title: string, content: string): string;
}

export interface PageShells {
  /** The shell in the live release; null if the site has none. */
  read(): Promise<PageShell | null>;
  /** Whether everybody can open a page or file at this decoded path. */
  isPublic(path: string): Promise<boolean>;
}

/**
 * Longer pages aren't used as shells, because they would be parsed after every change of the site.
 */
const maxPageBytes = 2 * 1024 * 1024;

const placesJob = workerJob<typeof findShellSlots>(
  new URL("./page-shell-worker.ts", import.meta.url),
  "findShellSlots",
);

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Inserts a title and content into a page. */
function shellWith(html: string, { title, slots }: ShellSlots): PageShell {
  return {
    title,
    render(newTitle, newContent) {
      const parts = { title: escapeText(newTitle), content: newContent, nothing: "" };
      let at = 0;
      const pieces = slots.flatMap(({ start, end, part }) => {
        const piece = html.slice(at, start);
        at = end;
        return [piece, parts[part]];
      });
      return pieces.join("") + html.slice(at);
    },
  };
}

/**
 * Reads a page as the layout for other content, which goes inside the first element with the
 * attribute `placeholder`. Removes scripts, because none may run next to a password field except
 * the known theme switch. Null if there is no such place, or the page is too long or too complex.
 * Throws WorkerFailure `busy`.
 */
export async function readShell(
  workers: WorkerPool,
  html: string,
  mark: string,
): Promise<PageShell | null> {
  if (html.length > maxPageBytes) return null;
  const places = await workers.run(placesJob, { html, mark }).catch((error: unknown) => {
    // Another attempt would fail in the same way.
    if (error instanceof WorkerFailure && error.reason !== "busy") return null;
    throw error;
  });
  return places && shellWith(html, places);
}

/**
 * Shells in the live release: the page at `address`, with the place marked by `mark`. A page is
 * parsed once as long as its bytes stay the same.
 */
export function makePageShells(options: {
  paths: Pick<InstancePaths, "current" | "releases">;
  /** `/account/` */
  address: string;
  /** `data-account` */
  mark: string;
  /** Where pages are parsed. */
  workers: WorkerPool;
}): PageShells {
  const { paths, address, mark, workers } = options;
  const releases = makeLiveReleases(paths);
  let cached: { hash: string; shell: Promise<PageShell | null> } | undefined;

  function shellOf({ entry, path }: SiteFile): Promise<PageShell | null> {
    if (cached?.hash === entry.hash) return cached.shell;
    const shell = readFile(path, "utf8").then((html) => readShell(workers, html, mark));
    const mine = { hash: entry.hash, shell };
    cached = mine;
    shell.catch(() => {
      if (cached === mine) cached = undefined;
    });
    return shell;
  }

  return {
    async read() {
      const file = (await releases.current())?.files.get(address);
      return file?.page ? shellOf(file) : null;
    },
    async isPublic(path) {
      const files = (await releases.current())?.files;
      return files !== undefined && (files.has(path) || files.has(`${path}/`));
    },
  };
}
