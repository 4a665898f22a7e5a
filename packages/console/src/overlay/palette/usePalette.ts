import { useEffect, useState } from "react";

import type { Run } from "../../api/types.ts";
import { firstLine, runStatusLabel } from "../../features/runs/labels.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";
import { plainText } from "../../ui/plain-text.ts";
import type { Command, CommandGroup } from "./commands.ts";
import { pagesOf } from "./sitemap.ts";

/** How many of the newest runs are offered. */
const newest = 12;
/** The longest title of a run, in characters. */
const maxQueryLength = 90;

function commandOfRun(run: Run, onRun: (run: Run) => void): Command {
  const words = firstLine(plainText(run.instruction || run.message)).slice(0, maxQueryLength);
  return {
    id: `run:${run.id}`,
    title: words,
    keys: runStatusLabel(run.status),
    run: () => onRun(run),
  };
}

/** The site's own pages as its sitemap names them; none where it has none. */
async function fetchPages(signal: AbortSignal): Promise<string[]> {
  const response = await fetch("/sitemap-0.xml", { signal, credentials: "same-origin" });
  return response.ok ? pagesOf(await response.text()) : [];
}

/** What the palette finds beside the console's commands: the newest runs and the site's pages. */
export function usePaletteResults(onRun: (run: Run) => void): CommandGroup[] {
  const api = useRunsApi();
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [pages, setPages] = useState<readonly string[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const ignore = (): void => {};
    api
      .listRuns(1, newest)
      .then((page) => !signal.aborted && setRuns(page.items))
      .catch(ignore);
    fetchPages(signal).then(setPages).catch(ignore);
    return () => abort.abort();
  }, [api]);
  return [
    { title: "Changes", commands: runs.map((run) => commandOfRun(run, onRun)) },
    {
      title: "Pages",
      commands: pages.map((path) => ({
        id: `page:${path}`,
        title: path,
        run: () => location.assign(path),
      })),
    },
  ];
}
