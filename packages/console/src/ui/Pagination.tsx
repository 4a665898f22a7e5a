import type { ReactElement } from "react";

import { Button } from "./Button.tsx";

export interface PaginationProps {
  page: number;
  perPage: number;
  total: number;
  /** What is counted: "projects". */
  noun: string;
  onPage(page: number): void;
}

/** Which part of a list is shown, with links to the others; nothing if everything is shown. */
export function Pagination(props: PaginationProps): ReactElement | null {
  const { page, perPage, total } = props;
  const last = Math.max(1, Math.ceil(total / perPage));
  if (last === 1 && page === 1) return null;
  const first = Math.min(total, (page - 1) * perPage + 1);
  return (
    <nav className="pagination" aria-label={`Pages of ${props.noun}`}>
      <Button inert={page <= 1} onClick={() => props.onPage(Math.min(page - 1, last))}>
        Previous
      </Button>
      <p>
        {first}–{Math.min(total, page * perPage)} of {total} {props.noun}
      </p>
      <Button inert={page >= last} onClick={() => props.onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
