import { type ReactElement, useEffect, useState } from "react";

import type { Run } from "../api/types.ts";
import { goTo } from "../features/palette/common-commands.ts";
import type { Command } from "../features/palette/commands.ts";
import type { PaletteProps } from "../features/palette/Palette.tsx";
import { PaletteDialog } from "../features/palette/PaletteDialog.tsx";
import { firstLine } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { plainText } from "../ui/plain-text.ts";

/** A decision about a run with a waiting preview, to be confirmed first. */
export interface RunDecision {
  run: Run;
  what: "publish" | "discard";
}

export interface AdminPaletteProps extends PaletteProps {
  onDecide(decision: RunDecision): void;
}

/** The newest of the owner's runs with a waiting preview; null if unknown. */
function useWaitingRun(): Run | null {
  const api = useRunsApi();
  const [run, setRun] = useState<Run | null>(null);
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      const { items } = await api.listRuns(1, 20);
      const waiting = items.find(({ status, task }) => status === "preview_ready" && !task);
      if (!isOver) setRun(waiting ?? null);
    };
    // If runs can't be loaded, the palette still has its other commands.
    load().catch(() => {});
    return () => {
      isOver = true;
    };
  }, [api]);
  return run;
}

const consoleOf = ({ pageUrl }: Run): string =>
  `${pageUrl?.startsWith("/") && !pageUrl.startsWith("//") ? pageUrl : "/"}#console`;

function runCommands(run: Run | null, onDecide: AdminPaletteProps["onDecide"]): Command[] {
  if (run === null) return [];
  const name = firstLine(plainText(run.instruction)).slice(0, 60);
  return [
    {
      id: "look",
      title: `Open the preview: ${name}`,
      run: () => goTo(consoleOf(run)),
    },
    { id: "publish", title: `Publish: ${name}`, run: () => onDecide({ run, what: "publish" }) },
    { id: "discard", title: `Discard: ${name}`, run: () => onDecide({ run, what: "discard" }) },
  ];
}

/** Shows a run where it belongs: its task, the console on its page, or the list. */
function showRun(run: Run): void {
  if (run.task !== null) goTo(`/admin/tasks?task=${run.task.id}`);
  else if (run.status === "preview_ready") goTo(consoleOf(run));
  else goTo("/admin/runs");
}

/** The palette of the admin pages. */
export function AdminPaletteDialog({ onDecide, ...rest }: AdminPaletteProps): ReactElement {
  const waiting = useWaitingRun();
  const shell = {
    commands: [
      { id: "console", title: "Open the console on the site", run: () => goTo("/#console") },
      ...runCommands(waiting, onDecide),
    ],
    isOnSite: false,
    showRun,
    showTask: (id: number) => goTo(`/admin/tasks?task=${id}`),
    showQa: () => goTo("/admin/qa"),
  };
  return <PaletteDialog {...rest} shell={shell} />;
}
