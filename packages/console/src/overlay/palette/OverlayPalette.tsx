import type { ReactElement } from "react";

import type { Run } from "../../api/types.ts";
import type { PaletteProps } from "../../features/palette/Palette.tsx";
import css from "../../features/palette/palette.css?inline";
import { PaletteDialog } from "../../features/palette/PaletteDialog.tsx";
import { overlayCommands, type OverlayParts } from "./overlay-commands.ts";

export interface OverlayPaletteProps extends PaletteProps {
  /** What the console can do now. */
  parts: OverlayParts;
  /** Shows a run in the console. */
  onRun(run: Run): void;
}

/** The palette over a page of the site, which shows results in the console if possible. */
export function OverlayPalette({ parts, onRun, ...rest }: OverlayPaletteProps): ReactElement {
  const { consoleState } = parts;
  const shell = {
    commands: overlayCommands(parts),
    isOnSite: true,
    showRun: onRun,
    showTask: consoleState.showTask,
    showQa: () => consoleState.showTab("qa"),
  };
  return <PaletteDialog {...rest} shell={shell} css={css} />;
}
