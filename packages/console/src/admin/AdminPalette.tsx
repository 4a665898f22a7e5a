import { type ReactElement, useEffect, useEffectEvent, useState } from "react";

import { makePalette, type PaletteProps } from "../features/palette/Palette.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { mod } from "../ui/key-names.ts";
import { useKeys } from "../ui/useKeys.ts";
import type { AdminPaletteProps, RunDecision } from "./AdminPaletteDialog.tsx";

const Palette = makePalette<Omit<AdminPaletteProps, keyof PaletteProps>>(
  async () => (await import("./AdminPaletteDialog.tsx")).AdminPaletteDialog,
);
const DecideRun = lazyComponent(async () => (await import("./DecideRun.tsx")).DecideRun);

/** The palette's button in the header, which needs this script. */
function usePaletteButton(open: () => void): void {
  const onClick = useEffectEvent(open);
  useEffect(() => {
    const button = document.querySelector<HTMLButtonElement>("[data-palette]");
    if (!button) return;
    const listener = (): void => onClick();
    button.hidden = false;
    button.title = `${mod} K`;
    button.addEventListener("click", listener);
    return () => button.removeEventListener("click", listener);
  }, []);
}

/** The palette of an admin page, and the confirmation of a chosen command. */
export function AdminPalette(): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const [decision, setDecision] = useState<RunDecision | null>(null);
  const open = (): void => setOpen(true);
  useKeys(!isOpen && decision === null, { "mod+k": open }, () => {});
  usePaletteButton(open);
  if (isOpen) return <Palette onClose={() => setOpen(false)} onDecide={setDecision} />;
  return decision && <DecideRun decision={decision} onClose={() => setDecision(null)} />;
}
