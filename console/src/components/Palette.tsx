import type { ReactElement } from "react";

import type { PaletteDialogProps } from "./PaletteDialog.tsx";
import { part } from "./part.tsx";

export interface PaletteProps extends PaletteDialogProps {
  open: boolean;
}

const Dialog = part(async () => (await import("./PaletteDialog.tsx")).PaletteDialog);

/** All that the console can do, by typing a few letters; loaded when it is first opened. */
export function Palette({ open, ...rest }: PaletteProps): ReactElement | null {
  return open ? <Dialog {...rest} /> : null;
}
