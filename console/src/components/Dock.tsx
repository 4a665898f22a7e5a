import { type ReactElement, useEffect } from "react";

import { useConsole } from "../context.ts";
import type { Desk } from "../hooks/useDesk.ts";
import type { Picker } from "../hooks/usePicking.ts";
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
import { TabPanel, Tabs } from "./Tabs.tsx";

export interface DockProps {
  open: boolean;
  opener: Switch;
  width: number;
  /** Whether the preview lies over the dock. */
  covered: boolean;
  session: Session;
  desk: Desk;
  picker: Picker;
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
  const { open, opener, session, desk, onCurrent } = props;
  const { path } = useConsole();
  const { tab, first, draft } = desk;
  const { runId } = first;
  const { input } = draft;
  useEffect(() => {
    if (open && opener.takesFocus()) input.current?.focus();
  }, [open, opener, input]);
  useEffect(() => {
    if (runId === null) onCurrent(null);
  }, [runId, onCurrent]);

  return (
    <div className="dock" hidden={!open} inert={props.covered} style={{ width: props.width }}>
      <Resizer width={props.width} onWidth={props.onResize} />
      <div className="inside" inert={session.expired}>
        <Header path={path} onHelp={props.onHelp} onClose={props.onClose} />
        <Tabs tab={tab} onTab={desk.showTab} />
        <TabPanel tab="edit" shown={tab}>
          <EditTab
            first={first}
            diffs={props.diffs}
            draft={draft}
            occupied={runId !== null && props.current !== null && isActive(props.current.status)}
            picker={props.picker}
            run={runId === null ? null : props.current}
            onExample={desk.compose}
            onRun={desk.showRun}
            onCurrent={onCurrent}
            onPreview={props.onPreview}
          />
        </TabPanel>
        <TabPanel tab="history" shown={tab}>
          {tab === "history" && (
            <History
              diffs={props.diffs}
              onRun={desk.showRun}
              onEmptyAction={() => desk.compose()}
            />
          )}
        </TabPanel>
      </div>
      {session.expired && <SessionEnded session={session} />}
    </div>
  );
}
