import { type ReactElement, useEffect } from "react";

import { useConsole } from "../context.ts";
import { type Desk, useDesk } from "../hooks/useDesk.ts";
import { useKeptFocus } from "../hooks/useKeptFocus.ts";
import type { Picker } from "../hooks/usePicking.ts";
import type { Session } from "../hooks/useSession.ts";
import { errorsOf, useQa } from "../qa/useQa.ts";
import type { Switch } from "../switch.ts";
import { tellCounts } from "../tasks/counts.ts";
import { useTasks } from "../tasks/useTasks.ts";
import { EditTab } from "./EditTab.tsx";
import { Header } from "./Header.tsx";
import type { Diffs } from "./LogItem.tsx";
import { Resizer } from "./Resizer.tsx";
import type { CurrentRun } from "./RunPanel.tsx";
import { SessionEnded } from "./SessionEnded.tsx";
import { Skeleton } from "./Skeleton.tsx";
import { TabPanel, Tabs } from "./Tabs.tsx";
import { part } from "./part.tsx";

const waiting = <Skeleton lines={6} />;
const History = part(async () => (await import("./History.tsx")).History, waiting);
const TasksTab = part(async () => (await import("../tasks/TasksTab.tsx")).TasksTab, waiting);
const QaTab = part(async () => (await import("../qa/QaTab.tsx")).QaTab, waiting);
const BlameCard = part(async () => (await import("./BlameCard.tsx")).BlameCard);

export interface DockProps {
  open: boolean;
  opener: Switch;
  width: number;
  /** Whether the preview lies over the dock. */
  covered: boolean;
  session: Session;
  picker: Picker;
  current: CurrentRun | null;
  /** The run whose preview is framed. */
  previewed: string | null;
  diffs: Diffs;
  onResize(width: number): void;
  onCurrent(current: CurrentRun | null): void;
  /** The run of the task that is looked into. */
  onTaskRun(run: CurrentRun | null): void;
  onPreview(): void;
  onHelp(): void;
  onClose(): void;
}

/** When the console opens, the text or its tab has the focus; without a run there is no current one. */
function useDockState(props: DockProps, { draft, first }: Desk): void {
  const { open, opener, onCurrent } = props;
  const { input } = draft;
  const { runId } = first;
  useEffect(() => {
    if (!open || opener.openedBy() === "resume") return;
    const field = input.current;
    field?.focus();
    // In another tab the text is hidden.
    const root = field?.getRootNode() as ShadowRoot | undefined;
    if (root?.activeElement !== field) {
      root?.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
    }
  }, [open, opener, input]);
  useEffect(() => {
    if (runId === null) onCurrent(null);
  }, [runId, onCurrent]);
}

/** The panel at the right edge, or the sheet over a small screen. */
export function Dock(props: DockProps): ReactElement {
  const { session, current, diffs } = props;
  const { path } = useConsole();
  const desk = useDesk();
  const { counts } = useTasks();
  const { overview } = useQa();
  useDockState(props, desk);
  const inside = useKeptFocus<HTMLDivElement>();
  const { tab, first, draft, blamed } = desk;
  const run = first.runId === null ? null : current;
  return (
    <div className="dock" hidden={!props.open} inert={props.covered} style={{ width: props.width }}>
      <Resizer width={props.width} onWidth={props.onResize} />
      <div ref={inside} className="inside" inert={session.expired}>
        <Header path={path} onHelp={props.onHelp} onClose={props.onClose} />
        <Tabs
          tab={tab}
          tasks={tellCounts(counts)}
          errors={errorsOf(overview)}
          onTab={desk.showTab}
        />
        {blamed !== null && (
          <BlameCard
            element={blamed}
            runId={props.previewed}
            onSteps={desk.showPast}
            onClose={() => desk.blame(null)}
          />
        )}
        <TabPanel tab="edit" shown={tab}>
          <EditTab
            first={first}
            diffs={diffs}
            draft={draft}
            picker={props.picker}
            run={run}
            onExample={desk.compose}
            onRun={desk.showRun}
            onCurrent={props.onCurrent}
            onPreview={props.onPreview}
          />
        </TabPanel>
        <TabPanel tab="tasks" shown={tab}>
          {tab === "tasks" && (
            <TasksTab diffs={diffs} onRun={props.onTaskRun} onPreview={props.onPreview} />
          )}
        </TabPanel>
        <TabPanel tab="qa" shown={tab}>
          {tab === "qa" && <QaTab onAside={props.onClose} />}
        </TabPanel>
        <TabPanel tab="history" shown={tab}>
          {tab === "history" && <History diffs={diffs} />}
        </TabPanel>
      </div>
      {session.expired && <SessionEnded session={session} />}
    </div>
  );
}
