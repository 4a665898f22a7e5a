import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useRef } from "react";

import type { Badge } from "../features/tasks/counts.ts";

export type Tab = "edit" | "tasks" | "qa" | "history";

const tabs: readonly { tab: Tab; label: string }[] = [
  { tab: "edit", label: "Edit" },
  { tab: "tasks", label: "Tasks" },
  { tab: "qa", label: "QA" },
  { tab: "history", label: "History" },
];

/** The tab with a stored name; the first one by default. */
export function readTab(name: string | null): Tab {
  return tabs.find(({ tab }) => tab === name)?.tab ?? "edit";
}

const tabId = (tab: Tab): string => `tab-${tab}`;
const panelId = (tab: Tab): string => `panel-${tab}`;

/**
 * When another tab is shown, the focused element may be hidden: the tab itself then gets the focus.
 */
function useFocusOn(tab: Tab) {
  const list = useRef<HTMLDivElement>(null);
  const before = useRef(tab);
  useEffect(() => {
    if (before.current === tab) return;
    before.current = tab;
    requestAnimationFrame(() => {
      const at = list.current;
      const focused = (at?.getRootNode() as ShadowRoot | undefined)?.activeElement;
      if (focused?.checkVisibility() !== true) {
        at?.querySelector<HTMLElement>(`#${tabId(tab)}`)?.focus();
      }
    });
  }, [tab]);
  return list;
}

/** The console's tabs; arrow keys move between them. */
export function Tabs(props: {
  tab: Tab;
  /** The number of tasks to show, and their kind. */
  tasks: Badge | null;
  /** The number of open errors. */
  errors: Badge | null;
  onTab(tab: Tab): void;
}): ReactElement {
  const list = useFocusOn(props.tab);
  function onKey(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = tabs.findIndex(({ tab }) => tab === props.tab);
    const next = tabs.at((index + step) % tabs.length);
    if (!next) return;
    props.onTab(next.tab);
    event.currentTarget.querySelector<HTMLElement>(`#${tabId(next.tab)}`)?.focus();
  }
  return (
    <div
      ref={list}
      className="tabs"
      role="tablist"
      aria-label="Parts of the console"
      onKeyDown={onKey}
    >
      {tabs.map(({ tab, label }) => (
        <button
          key={tab}
          id={tabId(tab)}
          type="button"
          role="tab"
          aria-selected={props.tab === tab}
          aria-controls={panelId(tab)}
          tabIndex={props.tab === tab ? 0 : -1}
          onClick={() => props.onTab(tab)}
        >
          {label}
          {tab === "tasks" && <Amount told={props.tasks} />}
          {tab === "qa" && <Amount told={props.errors} look="danger" />}
        </button>
      ))}
    </div>
  );
}

/** A number next to a tab's name, with a text for screen readers. */
function Amount(props: { told: Badge | null; look?: string }): ReactElement | null {
  const { told: reported, look: variant = "" } = props;
  if (reported === null) return null;
  return (
    <>
      {" "}
      <span className={`amount ${variant}`}>{reported.count}</span>
      <span className="unseen"> {reported.label}</span>
    </>
  );
}

/** A tab's content, which stays mounted while another tab is shown. */
export function TabPanel(props: { tab: Tab; shown: Tab; children: ReactNode }): ReactElement {
  return (
    <div
      id={panelId(props.tab)}
      className="panel"
      role="tabpanel"
      aria-labelledby={tabId(props.tab)}
      hidden={props.tab !== props.shown}
      tabIndex={-1}
    >
      {props.children}
    </div>
  );
}
