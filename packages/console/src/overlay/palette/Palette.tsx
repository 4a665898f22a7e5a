import { type ReactElement, Suspense, lazy, useLayoutEffect, useRef } from "react";

import { lazyModule } from "../../ui/lazy-component.tsx";
import type { PaletteDialogProps } from "./PaletteDialog.tsx";

export interface PaletteProps extends Omit<PaletteDialogProps, "typed"> {
  open: boolean;
}

const Dialog = lazy(lazyModule(async () => (await import("./PaletteDialog.tsx")).PaletteDialog));

/** All that the console can do, by typing a few letters; loaded when it is first opened. */
export function Palette({ open, ...rest }: PaletteProps): ReactElement | null {
  const early = useRef("");
  if (!open) return null;
  return (
    <Suspense
      fallback={
        <Early
          onClose={rest.onClose}
          onType={(change) => (early.current = change(early.current))}
        />
      }
    >
      <Dialog {...rest} typed={early} />
    </Suspense>
  );
}

/** While the palette is loaded, what is typed is for it, not for what still has the focus. */
function Early(props: { onType(change: (typed: string) => string): void; onClose(): void }): null {
  const { onType, onClose } = props;
  useLayoutEffect(() => {
    const take = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) onType((typed) => typed + event.key);
      else if (event.key === "Backspace") onType((typed) => typed.slice(0, -1));
      else if (event.key === "Escape") onClose();
      else if (event.key !== "Enter") return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", take, true);
    return () => removeEventListener("keydown", take, true);
  });
  return null;
}
