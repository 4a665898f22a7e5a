import { useEffect } from "react";

/**
 * Makes room for the dock: the page's root element gets padding while the dock is open on wide
 * screens. It uses a separate style sheet, so that printing isn't affected and nothing is left
 * after closing.
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
