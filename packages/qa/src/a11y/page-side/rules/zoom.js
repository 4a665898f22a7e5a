/** ACT b4f0c3: a viewport that allows zooming to twice the size. */
export const zoom = {
  id: "meta-viewport",
  act: ["b4f0c3"],
  wcag: ["1.4.4"],
  impact: "critical",
  message: "The page prevents readers from zooming in",
  *run({ document }) {
    // In a frame, it has no effect.
    if (document.defaultView?.parent !== document.defaultView) return;
    for (const element of document.querySelectorAll("meta[name='viewport' i][content]")) {
      // White space, commas, and semicolons all separate properties.
      const pairs = (element.getAttribute("content") ?? "")
        .toLowerCase()
        .matchAll(/([^\s,;=]+)\s*=\s*([^\s,;=]+)/g);
      const given = new Map([...pairs].map(([, key, value]) => [key, value]));
      const scalable = given.get("user-scalable");
      const number = Number.parseFloat(scalable ?? "");
      const fixed =
        scalable !== undefined &&
        (scalable === "no" || (!Number.isNaN(number) && Math.abs(number) < 1));
      const most = given.get("maximum-scale");
      const scale = most === "yes" ? 1 : most === "no" ? 0.1 : Number.parseFloat(most ?? "");
      if (fixed || (scale >= 0 && scale < 2)) yield { element };
    }
  },
};
