import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { ErrorState } from "./ErrorState.tsx";

/** Why something can't be shown, or not looked at again while what was there before stays, and Retry. */
export function QueryError(props: {
  /** What is asked for: "The board". */
  what: string;
  /** What is still as it was where nothing is shown. */
  note?: ReactNode;
  query: Pick<UseQueryResult, "data" | "error" | "isFetching" | "refetch">;
}): ReactElement {
  const { what, query } = props;
  const known = query.data !== undefined;
  return (
    <ErrorState
      what={`${what} can’t be ${known ? "looked at again" : "shown"}.`}
      error={query.error}
      note={known ? "What is here is how it was before." : props.note}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}
