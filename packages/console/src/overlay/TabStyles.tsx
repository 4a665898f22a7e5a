import type { ReactElement } from "react";

import { RunStyles } from "./RunStyles.tsx";

/** The styles of a lazily loaded tab; admin pages link their style sheets. */
export function TabStyles({ css }: { css: string }): ReactElement {
  return (
    <>
      <RunStyles />
      <style>{css}</style>
    </>
  );
}
