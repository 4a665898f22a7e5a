import type { ReactElement } from "react";

import { Icon } from "./Icon.tsx";
import type { SearchText } from "./search-params.ts";

/** A field that searches while typing. */
export function SearchField(props: { label: string; search: SearchText }): ReactElement {
  const { label, search } = props;
  return (
    <div className="search" role="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        autoComplete="off"
        value={search.text}
        onChange={(event) => search.type(event.target.value)}
        onBlur={search.leave}
      />
    </div>
  );
}
