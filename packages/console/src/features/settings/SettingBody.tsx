import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { Skeleton } from "../../ui/Skeleton.tsx";
import { QueryError } from "../shared/QueryError.tsx";

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
      {query.isError && <QueryError what={what} kept={props.kept} query={query} />}
      {query.data && props.children(query.data)}
    </>
  );
}
