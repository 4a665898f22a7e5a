import type { ReactElement } from "react";

export function TokensPage(): ReactElement {
  return <h1>Tokens</h1>;
}
