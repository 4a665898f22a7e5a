import type { ReactElement } from "react";

import type { Mode } from "../types.ts";

/** What sending will take, after the runs before. */
export function Estimate(_props: { mode: Mode }): ReactElement | null {
  return null;
}
