import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";

import { Skeleton, type SkeletonProps } from "../../ui/Skeleton.tsx";
import { QueryError } from "../errors/QueryError.tsx";

/** A query in all its states: loading, failed, or loaded. */
export function QueryBody<T>(props: {
  query: Pick<
    UseQueryResult<T>,
    "data" | "error" | "isError" | "isFetching" | "isPending" | "refetch"
  >;
  /** What is loaded: "the site owner". */
  what: string;
  /** Shown while it is loading. */
  skeleton: SkeletonProps;
  /** What is unaffected, or what to do, if nothing is shown. */
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
