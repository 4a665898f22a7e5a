import type { ReactElement } from "react";

import { RefusalNotice } from "../features/errors/RefusalNotice.tsx";
import { Button } from "../ui/Button.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { Skeleton } from "../ui/Skeleton.tsx";
import { Composer } from "./composer/Composer.tsx";
import type { Draft } from "./composer/useDraft.ts";
import { EmptyEdit } from "./EmptyEdit.tsx";
import type { CurrentRun, RunPanelProps } from "./RunPanel.tsx";
import type { SelectedRun } from "./useCurrentRun.ts";
import type { Picker } from "./usePicking.ts";

/** The console usually opens without a run, so this is loaded with the first one. */
const EditRun = lazyComponent(
  async () => (await import("./EditRun.tsx")).EditRun,
  <Skeleton count={4} shape="line" />,
);

export interface EditTabProps extends Pick<
  RunPanelProps,
  "diffs" | "onRun" | "onCurrent" | "isLookedAt" | "onPreview"
> {
  first: SelectedRun;
  draft: Draft;
  picker: Picker;
  /** The shown run, once its state is known. */
  run: CurrentRun | null;
  onExample(text: string): void;
}

/** The current change, and the composer for the next one. */
export function EditTab(props: EditTabProps): ReactElement {
  const { first } = props;
  // Until a run's state is known, the previous one's is.
  const run = props.run?.runId === first.runId ? props.run : null;
  return (
    <>
      {first.runId !== null ? (
        <EditRun
          key={first.runId}
          run={run}
          runId={first.runId}
          diffs={props.diffs}
          onRun={props.onRun}
          onCurrent={props.onCurrent}
          isLookedAt={props.isLookedAt}
          onPreview={props.onPreview}
          onDone={() => {
            first.choose(null);
            props.draft.focus();
          }}
        />
      ) : first.error ? (
        <RefusalNotice error={first.error} note="Your text is kept.">
          <Button variant="small" onClick={first.retry}>
            Retry
          </Button>
        </RefusalNotice>
      ) : first.loading ? (
        <Skeleton count={3} shape="line" />
      ) : (
        <EmptyEdit onExample={props.onExample} />
      )}
      <Composer draft={props.draft} run={run} picker={props.picker} onRun={props.onRun} />
    </>
  );
}
