import { useEffect, useRef, useState } from "react";

export interface LeaveGuard {
  /** The target of a link; null while nobody wants to leave. */
  wanted: string | null;
  stay(): void;
  /** Follows the link without asking again. */
  leave(): void;
  /** Navigates without asking, because everything is saved. */
  go(address: string): void;
}

function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const target = event.target instanceof Element ? event.target.closest("a") : null;
  if (!target?.href || target.hasAttribute("download")) return null;
  if (target.target !== "" && target.target !== "_self") return null;
  // A link within the page doesn't leave it.
  const { pathname, search } = new URL(target.href);
  return pathname === location.pathname && search === location.search && target.hash !== ""
    ? null
    : target;
}

/**
 * Asks before unsaved changes are left: for links with our own dialog, otherwise (reload, browser
 * navigation) with the browser's.
 */
export function useLeaveGuard(unsaved: boolean): LeaveGuard {
  const [wanted, setWanted] = useState<string | null>(null);
  const going = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent): void => {
      if (!going.current) event.preventDefault();
    };
    const catchLink = (event: MouseEvent): void => {
      const link = going.current ? null : linkOf(event);
      if (!link) return;
      event.preventDefault();
      setWanted(link.href);
    };
    addEventListener("beforeunload", ask);
    document.addEventListener("click", catchLink);
    return () => {
      removeEventListener("beforeunload", ask);
      document.removeEventListener("click", catchLink);
    };
  }, [unsaved]);
  function go(address: string): void {
    going.current = true;
    location.assign(address);
  }
  return {
    wanted,
    stay: () => setWanted(null),
    leave: () => wanted !== null && go(wanted),
    go,
  };
}
