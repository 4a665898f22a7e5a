import { useEffect, useMemo, useState } from "react";

import type { Client } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { MediaList, Page, ProjectList, QaFinding, Run, Task } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { firstLine, runStatusLabel } from "../runs/labels.ts";
import { makeRunsApi } from "../runs/runs-api.ts";
import { type Command, type CommandGroup, findCommands } from "./commands.ts";
import { goTo, type PaletteShell } from "./common-commands.ts";
import { pagesOf } from "./sitemap.ts";

/** How many of the newest runs and tasks are searched. */
const newest = 50;
/** How many of each kind a search shows. */
const maxResults = 6;
/** Maximum characters of a title and of a query. */
const maxTitleLength = 90;
const maxQueryLength = 200;
/** Pause in typing before the server is queried, in ms. */
const restMs = 200;

const titleOf = (text: string): string => firstLine(plainText(text)).slice(0, maxTitleLength);

/** The site's pages according to its sitemap; empty without one. */
async function fetchPages(signal: AbortSignal): Promise<Command[]> {
  const response = await fetch("/sitemap-0.xml", { signal, credentials: "same-origin" });
  const paths = response.ok ? pagesOf(await response.text()) : [];
  return paths.map((path) => ({ id: `page:${path}`, title: path, run: () => goTo(path) }));
}

/** The newest runs, tasks, and pages: loaded once and searched here. */
async function fetchRuns(client: Client, shell: PaletteShell): Promise<Command[]> {
  const { items } = await makeRunsApi(client).listRuns(1, newest);
  return items.map((run: Run) => ({
    id: `run:${run.id}`,
    title: titleOf(run.instruction || run.message),
    keys: runStatusLabel(run.status),
    run: () => shell.showRun(run),
  }));
}

async function fetchTasks(
  client: Client,
  shell: PaletteShell,
  signal: AbortSignal,
): Promise<Command[]> {
  const { items } = await client.get<Page<Task>>(
    "/api/admintasks/list",
    { perPage: newest },
    signal,
  );
  return items.map(({ id, title }) => ({
    id: `task:${id}`,
    title: `${titleOf(title)} (#${id})`,
    run: () => shell.showTask(id),
  }));
}

/** What the server searches. */
const searches: readonly {
  title: string;
  search(client: Client, q: string, signal: AbortSignal): Promise<Command[]>;
}[] = [
  {
    title: "Projects",
    async search(client, q, signal) {
      const query = { q, perPage: maxResults };
      const { items } = await client.get<ProjectList>("/api/adminprojects/list", query, signal);
      return items.map(({ id, name }) => ({
        id: `project:${id}`,
        title: titleOf(name),
        run: () => goTo(`/admin/projects/edit?id=${id}`),
      }));
    },
  },
  {
    title: "Media",
    async search(client, q, signal) {
      const query = { q, perPage: maxResults };
      const { items } = await client.get<MediaList>("/api/media/list", query, signal);
      return items.map(({ id, originalName }) => ({
        id: `media:${id}`,
        title: titleOf(originalName),
        run: () =>
          goTo(`/admin/media?q=${encodeURIComponent(originalName.slice(0, maxQueryLength))}`),
      }));
    },
  },
  {
    title: "QA findings",
    async search(client, q, signal) {
      const query = { q, status: "open,queued", perPage: maxResults };
      const { items } = await client.get<Page<QaFinding>>("/api/adminqa/findings", query, signal);
      return items.map(({ id, message, pageUrl }) => ({
        id: `finding:${id}`,
        title: titleOf(`${message} (${pageUrl})`),
        run: () => goTo(`/admin/qa?finding=${id}`),
      }));
    },
  },
];

/** Loads lists once; failed ones are left out. */
function useLists(shell: PaletteShell): { title: string; commands: readonly Command[] }[] {
  const client = useClient();
  const [lists, setLists] = useState<Readonly<Record<string, readonly Command[]>>>({});
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const load = async (title: string, commands: Promise<Command[]>): Promise<void> => {
      const found = await commands.catch((): Command[] => []);
      if (!signal.aborted) setLists((before) => ({ ...before, [title]: found }));
    };
    void load("Changes", fetchRuns(client, shell));
    void load("Tasks", fetchTasks(client, shell, signal));
    void load("Pages", fetchPages(signal));
    return () => abort.abort();
    // Uses the shell's functions as they are when the palette opens.
    // oxlint-disable-next-line react/exhaustive-deps -- a new shell object must not load again
  }, [client]);
  return ["Changes", "Tasks", "Pages"].map((title) => ({ title, commands: lists[title] ?? [] }));
}

interface Searched {
  q: string;
  groups: readonly CommandGroup[];
  isDone: boolean;
}

const noSearch: Searched = { q: "", groups: [], isDone: true };

/**
 * Queries the server after a pause; each kind is shown when it arrives, failed ones are left out.
 */
function useSearch(q: string): Searched {
  const client = useClient();
  const [searched, setSearched] = useState(noSearch);
  useEffect(() => {
    if (q === "") return setSearched(noSearch);
    const abort = new AbortController();
    const { signal } = abort;
    const timer = setTimeout(() => {
      const found: Record<string, readonly Command[]> = {};
      let open = searches.length;
      const run = async ({ title, search }: (typeof searches)[number]): Promise<void> => {
        const commands = await search(client, q, signal).catch((): Command[] => []);
        if (signal.aborted) return;
        found[title] = commands;
        open -= 1;
        const groups = searches.map((one) => ({
          title: one.title,
          commands: found[one.title] ?? [],
        }));
        setSearched({ q, groups, isDone: open === 0 });
      };
      for (const search of searches) void run(search);
    }, restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, q]);
  return searched;
}

/**
 * Results besides commands: the newest runs and tasks and the site's pages, and the server's
 * results for projects, media, and findings.
 */
export function usePaletteResults(
  typed: string,
  shell: PaletteShell,
): { groups: CommandGroup[]; isSearching: boolean } {
  const q = typed.trim().slice(0, maxQueryLength);
  const lists = useLists(shell);
  const searched = useSearch(q);
  const groups = useMemo(() => {
    const listed = lists
      // Before typing, tasks would hide more common commands.
      .filter(({ title }) => q !== "" || title !== "Tasks")
      .map(({ title, commands }) => ({ title, commands: findCommands(commands, q) }));
    return [...listed, ...(q === "" ? [] : searched.groups)];
  }, [lists, q, searched]);
  return { groups, isSearching: q !== "" && (searched.q !== q || !searched.isDone) };
}
