import { type ReactElement, useMemo, useRef } from "react";

/**
 * A live region for announcements, and a function that announces; the same text twice is announced
 * twice.
 */
export function useAnnouncements(): { announce(message: string): void; element: ReactElement } {
  const region = useRef<HTMLParagraphElement>(null);
  const announce = useMemo(
    () => (message: string) => {
      if (!region.current) return;
      const line = document.createElement("span");
      line.textContent = message;
      region.current.replaceChildren(line);
    },
    [],
  );
  return {
    announce,
    element: <p ref={region} className="unseen" role="status" data-announcements />,
  };
}
