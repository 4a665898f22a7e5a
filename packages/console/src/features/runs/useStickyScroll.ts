import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

export interface StickyScroll {
  box: RefObject<HTMLDivElement | null>;
  /** Whether the user has scrolled away from the end. */
  isScrolledAway: boolean;
  onScroll(): void;
  /** Checks the scroll position again, after something in the log was expanded or collapsed. */
  onClick(): void;
  scrollToEnd(): void;
}

/** A log scrolled this close to its end, in px, follows it. */
const near = 20;

/**
 * Keeps a growing log at its end unless the user has scrolled away. Movement because of layout
 * changes doesn't count as scrolling.
 */
export function useStickyScroll(): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const heights = useRef("");
  const [away, setAway] = useState(false);

  function toEnd(): void {
    const at = box.current;
    if (!at) return;
    heights.current = `${at.scrollHeight} ${at.clientHeight}`;
    at.scrollTop = at.scrollHeight;
  }
  function look(): void {
    const at = box.current;
    if (!at) return;
    heights.current = `${at.scrollHeight} ${at.clientHeight}`;
    follows.current = at.scrollHeight - at.scrollTop - at.clientHeight <= near;
    setAway(!follows.current);
  }
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });
  // A log that grows while hidden, or shrinks, catches up when it is resized.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return {
    box,
    isScrolledAway: away,
    onScroll() {
      const at = box.current;
      if (at && heights.current === `${at.scrollHeight} ${at.clientHeight}`) look();
    },
    onClick: () => requestAnimationFrame(look),
    scrollToEnd() {
      follows.current = true;
      setAway(false);
      toEnd();
      // The pressed button disappears.
      box.current?.focus({ preventScroll: true });
    },
  };
}
