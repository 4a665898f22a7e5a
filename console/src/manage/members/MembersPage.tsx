import type { ReactElement } from "react";

export function MembersPage(): ReactElement {
  return <h1>Members</h1>;
}
