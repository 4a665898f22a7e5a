import type { ReactElement } from "react";

/** The page in the making. */
export function ChangelogPage(): ReactElement {
  return <h1>Changelog</h1>;
}
