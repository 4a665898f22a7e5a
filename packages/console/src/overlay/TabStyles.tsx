import type { ReactElement } from "react";

import { RunStyles } from "./RunStyles.tsx";

/** The looks of a tab that is loaded when it is shown; the admin pages link their style sheets. */
export function TabStyles({ css }: { css: string }): ReactElement {
  return (
    <>
      <RunStyles />
      <style>{css}</style>
    </>
  );
}
