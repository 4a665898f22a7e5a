import { type RefObject, useEffect, useRef } from "react";

import { useMediaQuery } from "../../ui/useMediaQuery.ts";

/** What surrounds the board. */
const around = ".skip, .site-header, .rebuild";

/** Makes the surroundings of the board inert while it is covered. */
function useAroundCovered(covered: boolean): void {
  useEffect(() => {
    if (!covered) return;
    const parts = document.querySelectorAll<HTMLElement>(around);
    for (const part of parts) part.inert = true;
    return () => {
      for (const part of parts) part.inert = false;
    };
  }, [covered]);
}

/**
 * The layout of a task's details: next to the board if there is enough width, otherwise over it. On
 * closing, the focus returns to the task's card or, if that is gone, to the page's heading.
 */
export function usePanelLayout(
  page: RefObject<HTMLElement | null>,
  openId: number | null,
  previewing: boolean,
): { narrow: boolean; covered: boolean } {
  const narrow = useMediaQuery("(max-width: 899.98px)");
  const open = openId !== null;
  const covered = open && (narrow || previewing);
  useAroundCovered(covered);
  useEffect(() => {
    document.body.classList.toggle("beside-panel", open && !narrow);
    return () => document.body.classList.remove("beside-panel");
  }, [open, narrow]);
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    const [at, id] = [page.current, lastId.current];
    lastId.current = openId;
    if (!at || openId !== null || id === null) return;
    const card = at.querySelector<HTMLElement>(`[data-task-id="${id}"] a`);
    const heading = at.querySelector<HTMLElement>("h1");
    if (heading) heading.tabIndex = -1;
    (card?.checkVisibility() ? card : heading)?.focus();
  }, [page, openId]);
  return { narrow, covered };
}
