import type { ReactElement } from "react";

import type { Draft } from "../hooks/useDraft.ts";
import type { FirstRun } from "../hooks/useFirstRun.ts";
import type { Picker } from "../hooks/usePicking.ts";
import { useTitle } from "../hooks/useTitle.ts";
import { Button } from "./Button.tsx";
import { Composer } from "./Composer.tsx";
import { EmptyEdit } from "./EmptyEdit.tsx";
import { Notice } from "./Notice.tsx";
import { part } from "./part.tsx";
import type { CurrentRun, RunPanelProps } from "./RunPanel.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** Most often the console opens without a run: what shows one is loaded with the first. */
const RunPanel = part(
  async () => (await import("./RunPanel.tsx")).RunPanel,
  <Skeleton lines={4} />,
);

export interface EditTabProps extends Pick<
  RunPanelProps,
  "diffs" | "onRun" | "onCurrent" | "onPreview"
> {
  first: FirstRun;
  draft: Draft;
  picker: Picker;
  /** The run that is shown, once its state is known. */
  run: CurrentRun | null;
  onExample(text: string): void;
}

/** The change that is being made, and where the next one is described. */
export function EditTab(props: EditTabProps): ReactElement {
  const { first } = props;
  // Until the state of a run is known, what is known is of the one before.
  const run = props.run?.runId === first.runId ? props.run : null;
  useTitle(run);
  return (
    <>
      {first.runId !== null ? (
        <RunPanel
          key={first.runId}
          runId={first.runId}
          diffs={props.diffs}
          onRun={props.onRun}
          onCurrent={props.onCurrent}
          onPreview={props.onPreview}
          onDone={() => {
            first.choose(null);
            props.draft.focus();
          }}
        />
      ) : first.error ? (
        <Notice error={first.error} kept="Your text is kept.">
          <Button look="small" onClick={first.retry}>
            Retry
          </Button>
        </Notice>
      ) : first.loading ? (
        <Skeleton lines={3} />
      ) : (
        <EmptyEdit onExample={props.onExample} />
      )}
      <Composer draft={props.draft} run={run} picker={props.picker} onRun={props.onRun} />
    </>
  );
}
