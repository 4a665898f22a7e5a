import { type ReactElement, useEffect, useState } from "react";

import { useConsole } from "../context.ts";
import { useDraft } from "../hooks/useDraft.ts";
import { useFirstRun } from "../hooks/useFirstRun.ts";
import type { Session } from "../hooks/useSession.ts";
import type { Switch } from "../switch.ts";
import { isActive } from "../words.ts";
import { EditTab } from "./EditTab.tsx";
import { Header } from "./Header.tsx";
import { History } from "./History.tsx";
import type { Diffs } from "./LogItem.tsx";
import { Resizer } from "./Resizer.tsx";
import type { CurrentRun } from "./RunPanel.tsx";
import { SessionEnded } from "./SessionEnded.tsx";
import { type Tab, TabPanel, Tabs } from "./Tabs.tsx";

export interface DockProps {
  open: boolean;
  opener: Switch;
  width: number;
  /** Whether the preview lies over the dock. */
  covered: boolean;
  session: Session;
  current: CurrentRun | null;
  diffs: Diffs;
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
  const draft = useDraft(path);
  const [tab, setTab] = useState<Tab>("edit");
  const { runId } = first;
  const { input } = draft;
  useEffect(() => {
    if (open && opener.takesFocus()) input.current?.focus();
  }, [open, opener, input]);
  useEffect(() => {
    if (runId === null) onCurrent(null);
  }, [runId, onCurrent]);

  function compose(text = draft.text): void {
    setTab("edit");
    draft.write(text);
    draft.focus();
  }
  function show(next: string): void {
    first.choose(next);
    setTab("edit");
    draft.focus();
  }
  return (
    <div className="dock" hidden={!open} inert={props.covered} style={{ width: props.width }}>
      <Resizer width={props.width} onWidth={props.onResize} />
      <div className="inside" inert={session.expired}>
        <Header path={path} onHelp={props.onHelp} onClose={props.onClose} />
        <Tabs tab={tab} onTab={setTab} />
        <TabPanel tab="edit" shown={tab}>
          <EditTab
            first={first}
            diffs={props.diffs}
            draft={draft}
            occupied={runId !== null && props.current !== null && isActive(props.current.status)}
            onExample={compose}
            onRun={show}
            onCurrent={onCurrent}
            onPreview={props.onPreview}
          />
        </TabPanel>
        <TabPanel tab="history" shown={tab}>
          {tab === "history" && (
            <History diffs={props.diffs} onRun={show} onEmptyAction={() => compose()} />
          )}
        </TabPanel>
      </div>
      {session.expired && <SessionEnded session={session} />}
    </div>
  );
}
