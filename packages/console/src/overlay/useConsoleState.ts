import { createContext, useContext, useEffect, useState } from "react";

import { usePagePath } from "../api/context.tsx";
import type { PickedElement, Run } from "../api/types.ts";
import { isActive, isOpen } from "../features/runs/labels.ts";
import { tabStorage } from "../ui/storage.ts";
import { type Draft, useDraft } from "./composer/useDraft.ts";
import { readTab, type Tab } from "./Tabs.tsx";
import { type SelectedRun, useCurrentRun } from "./useCurrentRun.ts";

/** What lies before the owner: the tab, the run and the text being written. */
export interface ConsoleState {
  tab: Tab;
  first: SelectedRun;
  draft: Draft;
  /** The run of the history that is looked into. */
  past: string | null;
  /** The task that is looked into, or the form for a new one; null shows the list. */
  task: number | "new" | null;
  /** The element whose makers are asked for. */
  blamed: PickedElement | null;
  showTab(tab: Tab): void;
  /** Shows a run where runs are worked on. */
  showRun(runId: string): void;
  /** Shows a run of the history; null shows the list. */
  showPast(runId: string | null): void;
  /** Shows a task, the form for a new one, or with null the list. */
  showTask(task: number | "new" | null): void;
  /** Shows a run where it belongs: one that a task works on with its task, one that is over in the history. */
  openRun(run: Run): void;
  /** Puts a text, or the one that is there, before the owner to go on writing. */
  compose(text?: string): void;
  /** Adds a text to the one being written. */
  append(text: string): void;
  /** Shows who last touched an element; null closes that. */
  blame(element: PickedElement | null): void;
}

export const ConsoleStateContext = createContext<ConsoleState | null>(null);

/** What lies before the owner, for a part of the console. */
export function useConsoleState(): ConsoleState {
  const value = useContext(ConsoleStateContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

/** The tab that is shown, and what shows another; the next page of the site begins with it. */
function useTab(anew: boolean) {
  const [tab, setTab] = useState(() => (anew ? "edit" : readTab(tabStorage.get("tab"))));
  useEffect(() => tabStorage.set("tab", tab), [tab]);
  return [tab, setTab] as const;
}

/** The console's place of work on this page; `anew`: not where the last page had left it. */
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
