import {
  type ComponentType,
  type ReactElement,
  Suspense,
  lazy,
  useLayoutEffect,
  useRef,
} from "react";

import { lazyModule } from "../../ui/lazy-component.tsx";

/** The props of the palette in every shell. */
export interface PaletteProps {
  onClose(): void;
  /** What was typed while it was loading. */
  typed: { current: string };
}

/** A shell's palette, open while it is mounted; `load` is called when it is first opened. */
export function makePalette<Own extends object>(
  load: () => Promise<ComponentType<Own & PaletteProps>>,
): ComponentType<Own & Pick<PaletteProps, "onClose">> {
  const Dialog = lazy(lazyModule(load));
  return function Palette(props): ReactElement {
    const typed = useRef("");
    return (
      <Suspense fallback={<Early onClose={props.onClose} typed={typed} />}>
        <Dialog {...props} typed={typed} />
      </Suspense>
    );
  };
}

/** While the palette is loading, typing goes to it, not to the focused element. */
function Early({ typed, onClose }: PaletteProps): null {
  useLayoutEffect(() => {
    const take = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) typed.current += event.key;
      else if (event.key === "Backspace") typed.current = typed.current.slice(0, -1);
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
