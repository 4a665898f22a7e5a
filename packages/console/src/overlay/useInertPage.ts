import { useEffect } from "react";

/** Makes the page inert while it is covered. */
export function useInertPage(covered: boolean): void {
  useEffect(() => {
    if (!covered || document.body.inert) return;
    document.body.inert = true;
    return () => {
      document.body.inert = false;
    };
  }, [covered]);
}
