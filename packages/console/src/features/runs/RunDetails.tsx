import { type ReactElement, type ReactNode, useId, useState } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { SettingsText } from "../errors/SettingsText.tsx";
import { ChangedFiles } from "./ChangedFiles.tsx";
import { differenceOf } from "./check-labels.ts";
import { ChecksList } from "./ChecksList.tsx";
import { firstLine } from "./labels.ts";
import { outcomeOf } from "./outcome.ts";
import type { LiveRun } from "./useRun.ts";

/** The run's state, its changes, and the check results. */
export function RunDetails(props: {
  live: LiveRun;
  pending: string | null;
  /** Whether the reason for an error is shown next to it. */
  refused: boolean;
  diffs: Folds;
}): ReactElement {
  const { view, run } = props.live;
  const [opened, setOpened] = useState<"files" | "checks" | null>(null);
  const id = useId();
  const { status, checks } = view;
  const { word, detail } = outcomeOf(view, run, props.pending);
  const ready = status === "preview_ready" && props.pending === null;
  const settled = ready || status === "published";
  const toggle = (what: "files" | "checks") => () => setOpened(opened === what ? null : what);
  const line = (what: "files" | "checks", children: ReactNode) => (
    <button
      type="button"
      className="line"
      aria-expanded={opened === what}
      aria-controls={id}
      onClick={toggle(what)}
    >
      {children} <Icon name="chevron" />
    </button>
  );
  return (
    <>
      <div className="outcome" role="status">
        <b className={`word ${status}`}>{word}</b>
        {settled && view.files.length > 0 ? (
          line("files", detail)
        ) : (
          <span className="quiet">
            <SettingsText text={detail} />
          </span>
        )}
        {ready && checks !== null && line("checks", differenceOf(checks))}
        {ready && !props.refused && view.error !== null && (
          <span className="quiet">Last attempt to publish failed: {firstLine(view.error)}</span>
        )}
      </div>
      <div id={id} className="opened" hidden={!settled || opened === null}>
        {settled && opened === "files" && run !== null && (
          <ChangedFiles runId={run.id} diffs={props.diffs} />
        )}
        {ready && opened === "checks" && checks !== null && <ChecksList report={checks} />}
      </div>
    </>
  );
}
