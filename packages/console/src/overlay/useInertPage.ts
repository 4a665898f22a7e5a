import { useEffect } from "react";

/** Takes the page out of the tab order and the accessibility tree while it is covered. */
export function useInertPage(covered: boolean): void {
  useEffect(() => {
    if (!covered || document.body.inert) return;
    document.body.inert = true;
    return () => {
      document.body.inert = false;
    };
  }, [covered]);
}
