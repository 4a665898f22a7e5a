import { readFile } from "node:fs/promises";
import type { InstancePaths } from "../../platform/paths.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import type { findShellSlots, ShellSlots } from "./page-shell-worker.ts";
import { makeLiveReleases, type SiteFile } from "./site/live-release.ts";

/** A page of the site whose content comes from elsewhere. */
export interface PageShell {
  /** The page's own title, as text. */
  title: string;
  /** The whole page with this title (text) and this content (HTML that is safe already). */
  render(title: string, content: string): string;
}

export interface PageShells {
  /** The shell in the release that is live now; null when the owner's site has no such place. */
  read(): Promise<PageShell | null>;
  /** Whether everybody gets a page or file at this decoded path. */
  isPublic(path: string): Promise<boolean>;
}

/** A longer page is no shell: it would be searched for at every change of the site. */
const maxPageBytes = 2 * 1024 * 1024;

const placesJob = workerJob<typeof findShellSlots>(
  new URL("./page-shell-worker.ts", import.meta.url),
  "findShellSlots",
);

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Puts a title and content into the places of a page. */
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
 * Reads a page as the surroundings of other content. The place is the inside of the first element
 * with the attribute `placeholder`. Scripts are left out: where somebody types a password, none runs but
 * the one that is known to choose a theme.
 * Null where there is no such place, and for a page that is too long or too complex. Throws
 * WorkerFailure `busy`.
 */
export async function readShell(
  workers: WorkerPool,
  html: string,
  mark: string,
): Promise<PageShell | null> {
  if (html.length > maxPageBytes) return null;
  const places = await workers.run(placesJob, { html, mark }).catch((error: unknown) => {
    // Another try would end as this one did.
    if (error instanceof WorkerFailure && error.reason !== "busy") return null;
    throw error;
  });
  return places && shellWith(html, places);
}

/**
 * Shells out of the live release: the page at `address`, with the place that `mark` names. A page is
 * read once for as long as its bytes stay the same.
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
