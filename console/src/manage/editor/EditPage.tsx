import type { ReactElement } from "react";

/** The page in the making. */
export function EditPage(): ReactElement {
  return <h1>Edit</h1>;
}
