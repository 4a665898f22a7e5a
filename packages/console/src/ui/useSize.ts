import { useEffect, useState } from "react";

export interface Size {
  width: number;
  height: number;
}

/** The size of an element's content box in px, updated when it changes. */
export function useSize(): [(element: HTMLElement | null) => void, Size] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, size];
}
