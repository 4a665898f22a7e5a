import { useState } from "react";

import { clampWidth, defaultWidth } from "../components/dock-width.ts";
import { browserMemory } from "../storage.ts";

/** The dock's width in px, remembered by the browser. */
export function useDockWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() =>
    clampWidth(Number(browserMemory.get("width") ?? defaultWidth)),
  );
  function change(next: number): void {
    const clamped = clampWidth(next);
    setWidth(clamped);
    browserMemory.set("width", `${clamped}`);
  }
  return [width, change];
}
