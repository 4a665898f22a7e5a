import { useState, useSyncExternalStore } from "react";

import { browserStorage } from "../ui/storage.ts";
import { clampWidth, defaultWidth, minWidth } from "./dock-width.ts";

function onResize(call: () => void): () => void {
  addEventListener("resize", call);
  return () => removeEventListener("resize", call);
}

/**
 * The dock's width in px, remembered by the browser; at most half of a small window, if possible.
 */
export function useDockWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() =>
    clampWidth(Number(browserStorage.get("width") ?? defaultWidth)),
  );
  const half = useSyncExternalStore(onResize, () => Math.floor(innerWidth / 2));
  function change(next: number): void {
    const clamped = clampWidth(next);
    setWidth(clamped);
    browserStorage.set("width", `${clamped}`);
  }
  return [Math.min(width, Math.max(minWidth, half)), change];
}
