import { type RefObject, useEffect, useRef } from "react";

import { useMedia } from "../../hooks/useMedia.ts";

/** Takes the page's header out of reach while it is covered. */
function useHeaderCovered(covered: boolean): void {
  useEffect(() => {
    const header = document.querySelector<HTMLElement>(".site-header");
    if (!covered || !header) return;
    header.inert = true;
    return () => {
      header.inert = false;
    };
  }, [covered]);
}

/**
 * The room that the details of a task take: beside the board where there is width for both, else
 * over it. When they close, the focus goes back to the task's card or, where that has gone, to the
 * page's heading.
 */
export function usePanelRoom(
  page: RefObject<HTMLElement | null>,
  open: boolean,
  previewing: boolean,
): { narrow: boolean; covered: boolean } {
  const narrow = useMedia("(max-width: 899.98px)");
  const covered = open && (narrow || previewing);
  useHeaderCovered(covered);
  useEffect(() => {
    document.body.classList.toggle("beside-panel", open && !narrow);
    return () => document.body.classList.remove("beside-panel");
  }, [open, narrow]);
  const lastCard = useRef<string | null>(null);
  useEffect(() => {
    const at = page.current;
    if (!at) return;
    if (open) {
      lastCard.current = new URLSearchParams(location.search).get("task");
      return;
    }
    if (lastCard.current === null) return;
    const card = at.querySelector<HTMLElement>(
      `[data-task-id="${CSS.escape(lastCard.current)}"] a`,
    );
    lastCard.current = null;
    const heading = at.querySelector<HTMLElement>("h1");
    if (heading) heading.tabIndex = -1;
    (card?.checkVisibility() ? card : heading)?.focus();
  }, [page, open]);
  return { narrow, covered };
}
