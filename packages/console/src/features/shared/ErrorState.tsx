import type { ReactElement, ReactNode } from "react";

import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";

export interface ErrorStateProps {
  /** What failed, as a sentence: "The projects can’t be shown." */
  what: string;
  error: unknown;
  /** What is still as it was. */
  kept?: ReactNode;
  onRetry?(): void;
  busy?: boolean;
}

/** What failed, in the server's words, what was kept, and Retry. */
export function ErrorState(props: ErrorStateProps): ReactElement {
  const { onRetry } = props;
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
        {asApiError(props.error).message} {props.kept}
      </p>
    </Notice>
  );
}
