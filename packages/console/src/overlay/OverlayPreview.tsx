import type { ReactElement } from "react";

import compareCss from "../features/preview/compare.css?inline";
import previewCss from "../features/preview/preview.css?inline";
import { PreviewFrame, type PreviewFrameProps } from "../features/preview/PreviewFrame.tsx";

const css = previewCss + compareCss;

/** The preview with its styles, for the overlay; admin pages link their style sheets. */
export function OverlayPreview(props: PreviewFrameProps): ReactElement {
  return (
    <>
      <style>{css}</style>
      <PreviewFrame {...props} />
    </>
  );
}
