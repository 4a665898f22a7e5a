import { type ReactElement, useEffect, useRef, useState } from "react";

import { useConsole } from "../context.ts";
import { useFirstRun } from "../hooks/useFirstRun.ts";
import type { Session } from "../hooks/useSession.ts";
import { tabMemory } from "../storage.ts";
import type { Switch } from "../switch.ts";
import type { RunStatus } from "../types.ts";
import { isActive } from "../words.ts";
import { EditTab } from "./EditTab.tsx";
import { Header } from "./Header.tsx";
import { History } from "./History.tsx";
import { Resizer } from "./Resizer.tsx";
import type { CurrentRun } from "./RunPanel.tsx";
import { SessionEnded } from "./SessionEnded.tsx";
import { type Tab, Tabs, panelId, tabId } from "./Tabs.tsx";

export interface DockProps {
  open: boolean;
  opener: Switch;
  width: number;
  /** Whether the preview lies over the dock. */
  covered: boolean;
  session: Session;
  status: RunStatus | null;
  diffs: { open: boolean; turn: number };
  onResize(width: number): void;
  onCurrent(current: CurrentRun | null): void;
  onPreview(): void;
  onHelp(): void;
  onClose(): void;
}

/** The panel at the right edge, or the sheet over a small screen. */
export function Dock(props: DockProps): ReactElement {
  const { open, opener, session, onCurrent } = props;
  const { path } = useConsole();
  const first = useFirstRun();
  const [tab, setTab] = useState<Tab>("edit");
  const [draft, setDraft] = useState(() => tabMemory.get(`draft:${path}`) ?? "");
  const input = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (open && opener.takesFocus()) input.current?.focus();
  }, [open, opener]);
  const { runId } = first;
  useEffect(() => {
    if (runId === null) onCurrent(null);
  }, [runId, onCurrent]);

  function write(text: string): void {
    setDraft(text);
    if (text === "") tabMemory.remove(`draft:${path}`);
    else tabMemory.set(`draft:${path}`, text);
  }
  function compose(text?: string): void {
    setTab("edit");
    if (text !== undefined) write(text);
    requestAnimationFrame(() => {
      input.current?.focus();
      if (text?.endsWith('""')) input.current?.setSelectionRange(text.length - 1, text.length - 1);
    });
  }
  function show(next: string): void {
    first.choose(next);
    setTab("edit");
    requestAnimationFrame(() => input.current?.focus());
  }
  return (
    <div className="dock" hidden={!open} inert={props.covered} style={{ width: props.width }}>
      <Resizer width={props.width} onWidth={props.onResize} />
      <div className="inside" inert={session.expired}>
        <Header path={path} onHelp={props.onHelp} onClose={props.onClose} />
        <Tabs tab={tab} onTab={setTab} />
        <div
          id={panelId("edit")}
          role="tabpanel"
          aria-labelledby={tabId("edit")}
          className="panel"
          hidden={tab !== "edit"}
        >
          <EditTab
            first={first}
            diffs={props.diffs}
            draft={draft}
            input={input}
            occupied={runId !== null && props.status !== null && isActive(props.status)}
            onDraft={write}
            onExample={compose}
            onRun={show}
            onCurrent={onCurrent}
            onPreview={props.onPreview}
          />
        </div>
        <div
          id={panelId("history")}
          role="tabpanel"
          aria-labelledby={tabId("history")}
          className="panel"
          hidden={tab !== "history"}
        >
          {tab === "history" && (
            <History onRun={show} onEmptyAction={() => compose()} diffs={props.diffs} />
          )}
        </div>
      </div>
      {session.expired && <SessionEnded session={session} />}
    </div>
  );
}
