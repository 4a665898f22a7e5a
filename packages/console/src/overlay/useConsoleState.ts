import { createContext, useContext, useEffect, useState } from "react";

import { usePagePath } from "../api/context.tsx";
import type { PickedElement, Run } from "../api/types.ts";
import { isActive, isOpen } from "../features/runs/labels.ts";
import { tabStorage } from "../ui/storage.ts";
import { type Draft, useDraft } from "./composer/useDraft.ts";
import { readTab, type Tab } from "./Tabs.tsx";
import { type SelectedRun, useCurrentRun } from "./useCurrentRun.ts";

/** The console's state: the tab, the run, and the text being written. */
export interface ConsoleState {
  tab: Tab;
  first: SelectedRun;
  draft: Draft;
  /** The selected run of the history. */
  past: string | null;
  /** The selected task, or the form for a new one; null shows the list. */
  task: number | "new" | null;
  /** The element whose last changes are shown. */
  blamed: PickedElement | null;
  showTab(tab: Tab): void;
  /** Shows a run in the Edit tab. */
  showRun(runId: string): void;
  /** Shows a run in the history; null shows the list. */
  showPast(runId: string | null): void;
  /** Shows a task, the form for a new one, or with null the list. */
  showTask(task: number | "new" | null): void;
  /** Shows a run where it belongs: a task's run with its task, a finished one in the history. */
  openRun(run: Run): void;
  /** Opens the composer with a text, or with the current one. */
  compose(text?: string): void;
  /** Appends a text to the current one. */
  append(text: string): void;
  /** Shows who last changed an element; null closes that. */
  blame(element: PickedElement | null): void;
}

export const ConsoleStateContext = createContext<ConsoleState | null>(null);

/** The console's state, for components. */
export function useConsoleState(): ConsoleState {
  const value = useContext(ConsoleStateContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

/** The current tab, and a function that changes it; the next page of the site starts with it. */
function useTab(anew: boolean) {
  const [tab, setTab] = useState(() => (anew ? "edit" : readTab(tabStorage.get("tab"))));
  useEffect(() => tabStorage.set("tab", tab), [tab]);
  return [tab, setTab] as const;
}

/** The console's state on this page; `anew`: doesn't restore that of the last page. */
export function useConsoleStateValue(anew: boolean): ConsoleState {
  const path = usePagePath();
  const first = useCurrentRun();
  const draft = useDraft(path);
  const [tab, showTab] = useTab(anew);
  const [past, setPast] = useState<string | null>(null);
  const [task, setTask] = useState<ConsoleState["task"]>(null);
  const [blamed, setBlamed] = useState<PickedElement | null>(null);
  function compose(text = draft.text): void {
    showTab("edit");
    draft.write(text);
    draft.focus();
  }
  function showRun(runId: string): void {
    first.choose(runId);
    showTab("edit");
    draft.focus();
  }
  function showPast(runId: string | null): void {
    setPast(runId);
    showTab("history");
  }
  function showTask(next: ConsoleState["task"]): void {
    setTask(next);
    showTab("tasks");
  }
  return {
    tab,
    first,
    draft,
    past,
    task,
    blamed,
    showTab,
    showRun,
    showPast,
    showTask,
    openRun(run) {
      if (run.task !== null && isActive(run.status)) showTask(run.task.id);
      else if (isOpen(run.status)) showRun(run.id);
      else showPast(run.id);
    },
    compose,
    append: (text) => compose(draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n${text}`),
    blame: setBlamed,
  };
}
