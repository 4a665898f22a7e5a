import type { ReactElement } from "react";

/** The page in the making. */
export function NewPage(): ReactElement {
  return <h1>New</h1>;
}
