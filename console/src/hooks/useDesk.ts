import { useState } from "react";

import type { Tab } from "../components/Tabs.tsx";
import { useConsole } from "../context.ts";
import { type Draft, useDraft } from "./useDraft.ts";
import { type FirstRun, useFirstRun } from "./useFirstRun.ts";

/** What lies before the owner: the tab, the run and the text being written. */
export interface Desk {
  tab: Tab;
  first: FirstRun;
  draft: Draft;
  showTab(tab: Tab): void;
  /** Shows a run where runs are worked on. */
  showRun(runId: string): void;
  /** Puts a text, or the one that is there, before the owner to go on writing. */
  compose(text?: string): void;
}

/** The console's place of work on this page. */
export function useDesk(): Desk {
  const { path } = useConsole();
  const first = useFirstRun();
  const draft = useDraft(path);
  const [tab, setTab] = useState<Tab>("edit");
  return {
    tab,
    first,
    draft,
    showTab: setTab,
    showRun(runId) {
      first.choose(runId);
      setTab("edit");
      draft.focus();
    },
    compose(text = draft.text) {
      setTab("edit");
      draft.write(text);
      draft.focus();
    },
  };
}
