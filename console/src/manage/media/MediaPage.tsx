import type { ReactElement } from "react";

/** The page in the making. */
export function MediaPage(): ReactElement {
  return <h1>Media</h1>;
}
