import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { Skeleton } from "../../ui/Skeleton.tsx";
import { ErrorState } from "../shared/ErrorState.tsx";

/** What a setting's section shows: that it is being read, that it can't be, or its form. */
export function SettingBody<T>(props: {
  query: UseQueryResult<T>;
  /** What it is, with its verb left out: "The site owner". */
  what: string;
  /** What can be done by hand where the stored setting can't be read. */
  kept?: ReactNode;
  children: (data: T) => ReactNode;
}): ReactElement {
  const { query, what } = props;
  return (
    <>
      {query.isPending && <Skeleton count={2} shape="row" label={`${what}: being read`} />}
      {query.isError && (
        <ErrorState
          what={`${what} can’t be shown.`}
          error={query.error}
          kept={props.kept}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data && props.children(query.data)}
    </>
  );
}
