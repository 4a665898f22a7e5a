import type { ReactElement, ReactNode } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";

export interface ErrorStateProps {
  /** What failed, as a sentence: "Couldn’t load the projects." */
  what: string;
  /** Null without an error. */
  error: unknown;
  /** A sentence after the error, such as what is still saved. */
  note?: ReactNode;
  onRetry?(): void;
  busy?: boolean;
}

/**
 * An error with the server's message, a note, and a Retry button; renders nothing without an error.
 */
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
        {refusal.message} {props.note}
      </p>
    </Notice>
  );
}
