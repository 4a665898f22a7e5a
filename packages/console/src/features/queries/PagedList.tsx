import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useEffect } from "react";

import type { Page } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { Pagination } from "../../ui/Pagination.tsx";
import type { Address } from "../../ui/search-params.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { QueryError } from "../errors/QueryError.tsx";

export interface PagedListProps<T> {
  query: UseQueryResult<Page<T>>;
  address: Address;
  /** The page in the address, and whether filters apply. */
  view: { page: number; filtered: boolean };
  perPage: number;
  /** What is listed: "projects". */
  noun: string;
  skeleton: { count: number; shape: "row" | "card" };
  /** Shown if there are no items at all. */
  empty: ReactNode;
  /** The address's keys that filter. */
  filters: readonly string[];
  children: (list: Page<T>) => ReactNode;
}

function NothingFound<T>(props: PagedListProps<T>): ReactElement {
  const { address, noun, filters } = props;
  const all = Object.fromEntries(["page", ...filters].map((key) => [key, null]));
  const showAll = (): void => {
    address.change(all);
    focusHeading();
  };
  return (
    <EmptyState filtered action={<Button onClick={showAll}>Show all {noun}</Button>}>
      No {noun} match.
    </EmptyState>
  );
}

/** A paginated list in all its states: loading, failed, empty, nothing found. */
export function PagedList<T>(props: PagedListProps<T>): ReactElement {
  const { query, view, perPage, noun } = props;
  const { data, isPlaceholderData: stale } = query;
  const { change } = props.address;
  const last = data && !stale ? Math.max(1, Math.ceil(data.total / perPage)) : view.page;
  useEffect(() => {
    // The last item of the last page is gone, so the previous page is shown.
    if (view.page > last) change({ page: last === 1 ? null : last }, "replace");
  }, [view.page, last, change]);
  return (
    <>
      <p className="unseen" role="status">
        {data && !stale && view.filtered && `${data.total} ${noun} found`}
      </p>
      {query.isError && <QueryError what={`the ${noun}`} query={query} />}
      {query.isPending && <Skeleton {...props.skeleton} label={`Loading ${noun}…`} />}
      {data?.total === 0 && (view.filtered ? <NothingFound {...props} /> : props.empty)}
      {data && data.items.length > 0 && (
        <div className="results" data-stale={stale} aria-busy={stale}>
          {props.children(data)}
        </div>
      )}
      {data && (
        <Pagination
          noun={noun}
          page={view.page}
          perPage={perPage}
          total={data.total}
          onPage={(page) => {
            change({ page: page === 1 ? null : page });
            scrollTo({ top: 0 });
          }}
        />
      )}
    </>
  );
}
