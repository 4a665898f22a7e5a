import type { ReactElement, ReactNode } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";

export interface ErrorStateProps {
  /** What failed, as a sentence: "The projects can’t be shown." */
  what: string;
  /** Null where nothing has failed. */
  error: unknown;
  /** What is still as it was. */
  kept?: ReactNode;
  onRetry?(): void;
  busy?: boolean;
}

/** What failed, in the server's words, what was kept, and Retry; nothing where nothing has. */
export function ErrorState(props: ErrorStateProps): ReactElement | null {
  const { onRetry } = props;
  const refusal = refusalOf(props.error);
  if (refusal === null) return null;
  return (
    <Notice
      kind="error"
      title={props.what}
      actions={
        onRetry && (
          <Button icon="reload" busy={props.busy ?? false} onClick={onRetry}>
            Retry
          </Button>
        )
      }
    >
      <p>
        {refusal.message} {props.kept}
      </p>
    </Notice>
  );
}
