import type { ReactElement } from "react";

export function MessagesPage(): ReactElement {
  return <h1>Messages</h1>;
}
