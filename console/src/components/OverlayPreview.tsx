import type { ReactElement } from "react";

import compareCss from "../styles/compare.css?inline";
import previewCss from "../styles/preview.css?inline";
import { PreviewFrame, type PreviewFrameProps } from "./PreviewFrame.tsx";

const css = previewCss + compareCss;

/** The preview with its looks, for the overlay; the admin pages link their style sheets. */
export function OverlayPreview(props: PreviewFrameProps): ReactElement {
  return (
    <>
      <style>{css}</style>
      <PreviewFrame {...props} />
    </>
  );
}
