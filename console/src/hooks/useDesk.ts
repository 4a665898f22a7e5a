import { createContext, useContext, useState } from "react";

import type { Tab } from "../components/Tabs.tsx";
import { useConsole } from "../context.ts";
import type { PickedElement } from "../types.ts";
import { type Draft, useDraft } from "./useDraft.ts";
import { type FirstRun, useFirstRun } from "./useFirstRun.ts";

/** What lies before the owner: the tab, the run and the text being written. */
export interface Desk {
  tab: Tab;
  first: FirstRun;
  draft: Draft;
  /** The run of the history that is looked into. */
  past: string | null;
  /** The element whose makers are asked for. */
  blamed: PickedElement | null;
  showTab(tab: Tab): void;
  /** Shows a run where runs are worked on. */
  showRun(runId: string): void;
  /** Shows a run of the history; null shows the list. */
  showPast(runId: string | null): void;
  /** Puts a text, or the one that is there, before the owner to go on writing. */
  compose(text?: string): void;
  /** Adds a text to the one being written. */
  append(text: string): void;
  /** Shows who last touched an element; null closes that. */
  blame(element: PickedElement | null): void;
}

export const DeskContext = createContext<Desk | null>(null);

/** The desk that a part of the console stands on. */
export function useDesk(): Desk {
  const value = useContext(DeskContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

/** The console's place of work on this page. */
export function useDeskState(): Desk {
  const { path } = useConsole();
  const first = useFirstRun();
  const draft = useDraft(path);
  const [tab, setTab] = useState<Tab>("edit");
  const [past, setPast] = useState<string | null>(null);
  const [blamed, setBlamed] = useState<PickedElement | null>(null);
  function compose(text = draft.text): void {
    setTab("edit");
    draft.write(text);
    draft.focus();
  }
  return {
    tab,
    first,
    draft,
    past,
    blamed,
    showTab: setTab,
    showRun(runId) {
      first.choose(runId);
      setTab("edit");
      draft.focus();
    },
    showPast(runId) {
      setPast(runId);
      setTab("history");
    },
    compose,
    append: (text) => compose(draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n${text}`),
    blame: setBlamed,
  };
}
