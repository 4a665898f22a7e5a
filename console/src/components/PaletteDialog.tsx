import type { ReactElement } from "react";

import type { PaletteProps } from "./Palette.tsx";

/** The palette's dialog. */
export function PaletteDialog(_props: Omit<PaletteProps, "open">): ReactElement | null {
  return null;
}
