import type { ReactElement } from "react";

export function LogPage(): ReactElement {
  return <h1>Log</h1>;
}
