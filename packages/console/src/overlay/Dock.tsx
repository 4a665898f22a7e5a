import { type ReactElement, useEffect } from "react";

import type { Folds } from "../ui/Disclosure.tsx";
import { usePagePath } from "../api/context.tsx";
import type { EndedSession } from "../api/useSignIn.ts";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { summarizeCounts } from "../features/tasks/counts.ts";
import { Skeleton } from "../ui/Skeleton.tsx";
import { EditTab } from "./EditTab.tsx";
import { Header } from "./Header.tsx";
import { Resizer } from "./Resizer.tsx";
import type { CurrentRun } from "./RunPanel.tsx";
import { TabPanel, Tabs } from "./Tabs.tsx";
import type { ConsoleNews } from "./useConsoleNews.ts";
import { type ConsoleState, useConsoleState } from "./useConsoleState.ts";
import { useFocusRecovery } from "./useFocusRecovery.ts";
import type { Picker } from "./usePicking.ts";
import type { VisibilityState } from "./visibility-state.ts";

const waiting = <Skeleton count={6} shape="line" />;
const History = lazyComponent(async () => (await import("./history/History.tsx")).History, waiting);
const TasksTab = lazyComponent(
  async () => (await import("./tasks/TasksTab.tsx")).TasksTab,
  waiting,
);
const QaTab = lazyComponent(async () => (await import("./qa/QaTab.tsx")).QaTab, waiting);
const SessionEnded = lazyComponent(async () => (await import("./SessionEnded.tsx")).SessionEnded);
const BlameCard = lazyComponent(async () => (await import("./composer/BlameCard.tsx")).BlameCard);

export interface DockProps {
  open: boolean;
  opener: VisibilityState;
  width: number;
  /** Whether the preview covers the dock. */
  covered: boolean;
  /** The session that has ended, until the owner has signed in again. */
  ended: EndedSession | null;
  picker: Picker;
  current: CurrentRun | null;
  news: ConsoleNews;
  /** The run whose preview is framed. */
  previewed: string | null;
  /** Whether the waiting preview has been viewed. */
  isLookedAt: boolean;
  diffs: Folds;
  onResize(width: number): void;
  onCurrent(current: CurrentRun | null): void;
  /** The run of the selected task. */
  onTaskRun(run: CurrentRun | null): void;
  onPreview(): void;
  onHelp(): void;
  onClose(): void;
}

/**
 * When the console opens, the text or its tab gets the focus; without a run there is no current
 * one.
 */
function useDockState(props: DockProps, { draft, first }: ConsoleState): void {
  const { open, opener, onCurrent } = props;
  const { input } = draft;
  const { runId } = first;
  useEffect(() => {
    if (!open || opener.openedBy() === "resume") return;
    const field = input.current;
    field?.focus();
    // In another tab, the text is hidden.
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
  const { ended, current, diffs } = props;
  const path = usePagePath();
  const consoleState = useConsoleState();
  useDockState(props, consoleState);
  const inside = useFocusRecovery<HTMLDivElement>();
  const { tab, first, draft, blamed } = consoleState;
  const run = first.runId === null ? null : current;
  return (
    <div className="dock" hidden={!props.open} inert={props.covered} style={{ width: props.width }}>
      <Resizer width={props.width} onWidth={props.onResize} />
      <div ref={inside} className="inside" inert={ended !== null}>
        <Header path={path} onHelp={props.onHelp} onClose={props.onClose} />
        <Tabs
          tab={tab}
          tasks={summarizeCounts(props.news.counts)}
          errors={props.news.errors}
          onTab={consoleState.showTab}
        />
        {blamed !== null && (
          <BlameCard
            key={`${blamed.file}:${blamed.line}`}
            element={blamed}
            runId={props.previewed}
            onSteps={consoleState.showPast}
            onClose={() => consoleState.blame(null)}
          />
        )}
        <TabPanel tab="edit" shown={tab}>
          <EditTab
            first={first}
            diffs={diffs}
            draft={draft}
            picker={props.picker}
            run={run}
            onExample={consoleState.compose}
            onRun={consoleState.showRun}
            onCurrent={props.onCurrent}
            isLookedAt={props.isLookedAt}
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
      {ended !== null && <SessionEnded ended={ended} />}
    </div>
  );
}
