import type { ReactElement } from "react";

import type { Command } from "../commands.ts";
import { part } from "./part.tsx";

export interface PaletteProps {
  open: boolean;
  /** What the console can do now; runs and pages of the site are found by the palette itself. */
  commands: readonly Command[];
  /** Shows a run in the console. */
  onRun(runId: string): void;
  onClose(): void;
}

const Dialog = part(async () => (await import("./PaletteDialog.tsx")).PaletteDialog);

/** All that the console can do, by typing a few letters; loaded when it is first opened. */
export function Palette({ open, ...rest }: PaletteProps): ReactElement | null {
  return open ? <Dialog {...rest} /> : null;
}
