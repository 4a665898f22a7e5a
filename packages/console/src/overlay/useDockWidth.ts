import { useState, useSyncExternalStore } from "react";

import { browserMemory } from "../ui/storage.ts";
import { clampWidth, defaultWidth, narrowest } from "./dock-width.ts";

function onResize(call: () => void): () => void {
  addEventListener("resize", call);
  return () => removeEventListener("resize", call);
}

/** The dock's width in px, remembered by the browser; of a small window no more than half, where it can. */
export function useDockWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() =>
    clampWidth(Number(browserMemory.get("width") ?? defaultWidth)),
  );
  const half = useSyncExternalStore(onResize, () => Math.floor(innerWidth / 2));
  function change(next: number): void {
    const clamped = clampWidth(next);
    setWidth(clamped);
    browserMemory.set("width", `${clamped}`);
  }
  return [Math.min(width, Math.max(narrowest, half)), change];
}
