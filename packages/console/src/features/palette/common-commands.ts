import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import type { Run } from "../../api/types.ts";
import { useGet } from "../../api/useGet.ts";
import { settingsParts } from "../settings/parts.ts";
import type { Command } from "./commands.ts";

/** The shell around the palette: its own commands, and how it shows things. */
export interface PaletteShell {
  /** The shell's own commands, most useful first; they replace common ones with the same ID. */
  commands: readonly Command[];
  /** Whether the console is on a page of the site. */
  isOnSite: boolean;
  showRun(run: Run): void;
  showTask(id: number): void;
  showQa(): void;
}

/** Opens a path of this site; the page's own guard asks about unsaved changes. */
export function goTo(path: string): void {
  location.assign(path);
}

/** The admin pages by address; a test compares them with the server's. */
export const adminPages = [
  ["/admin", "Overview"],
  ["/admin/projects", "Projects"],
  ["/admin/import", "Import"],
  ["/admin/pages", "Pages"],
  ["/admin/tasks", "Tasks"],
  ["/admin/runs", "Runs"],
  ["/admin/qa", "QA"],
  ["/admin/media", "Media"],
  ["/admin/changelog", "Changelog"],
  ["/admin/members", "Members"],
  ["/admin/messages", "Messages"],
  ["/admin/sources", "Sources"],
  ["/admin/sites", "Sites"],
  ["/admin/settings", "Settings"],
  ["/admin/setup", "Setup"],
  ["/admin/password", "Password"],
  ["/admin/log", "Sign-ins"],
  ["/admin/tokens", "API tokens"],
] as const;

const sitesPath = "/admin/sites";

function pageCommands(hasSites: boolean): Command[] {
  return adminPages
    .filter(([path]) => hasSites || path !== sitesPath)
    .map(([path, name]) => ({ id: `go:${path}`, title: `Go to ${name}`, run: () => goTo(path) }));
}

/** Whether the owner manages further sites here; false until it is known. */
function useHasSites(): boolean {
  const available = useGet<{ isAvailable: boolean }>(
    ["sites", "available"],
    "/api/adminsites/available",
    {},
    { staleTime: Infinity },
  );
  return available.data?.isAvailable ?? false;
}

const settings: readonly Command[] = settingsParts.map(([part, name]) => ({
  id: `setting:${part}`,
  title: `Settings: ${name}`,
  run: () => goTo(`/admin/settings#${part}`),
}));

async function startQaRun(client: Client): Promise<void> {
  try {
    await client.post("/devconsole/qa/run", {});
  } catch (error) {
    // A run that is already running is fine.
    if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
  }
}

/** Actions available wherever the console is open. */
function commonActions(client: Client, shell: PaletteShell, hasSites: boolean): Command[] {
  return [
    { id: "new-project", title: "New project", run: () => goTo("/admin/projects/new") },
    { id: "new-task", title: "New task", run: () => goTo("/admin/tasks?new=1") },
    ...(hasSites
      ? [{ id: "new-site", title: "New site", run: () => goTo(`${sitesPath}?new=1`) }]
      : []),
    {
      id: "run-qa",
      title: "Run QA now",
      waits: true,
      async run() {
        await startQaRun(client);
        shell.showQa();
      },
    },
    ...(shell.isOnSite ? [] : [{ id: "open-site", title: "Open the site", run: () => goTo("/") }]),
    { id: "theme", title: "Change theme", run: () => goTo("/admin/settings#theme") },
    {
      id: "sign-out",
      title: "Sign out",
      waits: true,
      async run() {
        await client.post("/api/adminauth/logout", {});
        location.reload();
      },
    },
  ];
}

/** The shell's own commands, then common ones, admin pages, and sections of the settings. */
export function useCommonCommands(shell: PaletteShell): {
  commands: readonly Command[];
  pages: readonly Command[];
  settings: readonly Command[];
} {
  const client = useClient();
  const hasSites = useHasSites();
  const own = new Set(shell.commands.map(({ id }) => id));
  const common = commonActions(client, shell, hasSites).filter(({ id }) => !own.has(id));
  return {
    commands: [...shell.commands, ...common],
    pages: pageCommands(hasSites),
    settings,
  };
}
