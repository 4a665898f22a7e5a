import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { Skeleton, type SkeletonProps } from "../../ui/Skeleton.tsx";
import { QueryError } from "../errors/QueryError.tsx";

/** What is asked for, in all its states: on its way, refused, or there. */
export function QueryBody<T>(props: {
  query: Pick<
    UseQueryResult<T>,
    "data" | "error" | "isError" | "isFetching" | "isPending" | "refetch"
  >;
  /** What is asked for: "The site owner". */
  what: string;
  /** What stands in its place while it is on its way. */
  skeleton: SkeletonProps;
  /** What is still as it was, or can be done, where nothing is shown. */
  note?: ReactNode;
  children: (data: T) => ReactNode;
}): ReactElement {
  const { query, what } = props;
  return (
    <>
      {query.isPending && <Skeleton {...props.skeleton} />}
      {query.isError && <QueryError what={what} note={props.note} query={query} />}
      {query.data !== undefined && props.children(query.data)}
    </>
  );
}
