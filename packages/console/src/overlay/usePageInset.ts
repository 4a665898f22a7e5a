import { useEffect } from "react";

/**
 * Makes room for the dock: the page's root element gets a padding while the dock is open, on
 * screens wide enough for both. A style sheet of its own, so that printing is untouched and
 * closing leaves nothing behind.
 */
export function usePageInset(open: boolean, width: number): void {
  useEffect(() => {
    if (!open) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `@media screen and (min-width: 768px) { html { padding-right: ${width}px !important; } }`,
    );
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [open, width]);
}
