import { useEffect } from "react";

/** While `asks`, the browser asks before the page is left, reloaded, or closed. */
export function useUnloadGuard(asks: boolean): void {
  useEffect(() => {
    if (!asks) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [asks]);
}
