import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { ErrorState } from "./ErrorState.tsx";

/** Why something couldn't be loaded, or refreshed while older data is shown, with Retry. */
export function QueryError(props: {
  /** What is loaded: "the board". */
  what: string;
  /** What is unaffected if nothing is shown. */
  note?: ReactNode;
  query: Pick<UseQueryResult, "data" | "error" | "isFetching" | "refetch">;
}): ReactElement {
  const { what, query } = props;
  const known = query.data !== undefined;
  return (
    <ErrorState
      what={`Couldn’t ${known ? "refresh" : "load"} ${what}.`}
      error={query.error}
      note={known ? "You’re seeing what was last loaded." : props.note}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}
