import { type ReactElement, type ReactNode, useCallback, useState } from "react";
import { createPortal } from "react-dom";

import dockCss from "../../ui/styles/dock.css?inline";
import tokensCss from "../../ui/styles/tokens.css?inline";
import compareCss from "../preview/compare.css?inline";
import previewCss from "../preview/preview.css?inline";
import checksCss from "../runs/checks.css?inline";
import logCss from "../runs/run-log.css?inline";
import ownCss from "./tasks-console.css?inline";

let shared: CSSStyleSheet[] | undefined;

/** The console's style sheets, in the order in which they overrule each other; made once. */
function sheets(): CSSStyleSheet[] {
  shared ??= [tokensCss, dockCss, logCss, previewCss, checksCss, compareCss, ownCss].map((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    return sheet;
  });
  return shared;
}

/**
 * A place for parts of the console on an admin page. They bring their own styles, whose names are
 * also the page's: so they stand in a shadow root. The colours are the page's, which come through.
 */
export function ShadowPart(props: { children: ReactNode; name?: string }): ReactElement {
  const [root, setRoot] = useState<ShadowRoot | null>(null);
  const host = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = sheets();
    setRoot(shadow);
  }, []);
  return (
    <div ref={host} className="console-part" data-part={props.name}>
      {root && createPortal(<div className="part">{props.children}</div>, root)}
    </div>
  );
}
