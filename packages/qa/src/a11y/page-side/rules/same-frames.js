/** ACT 4b1c6c: frames with the same name show the same content. */
export const sameFrames = {
  id: "frame-title-unique",
  act: ["4b1c6c"],
  wcag: ["4.1.2"],
  impact: "serious",
  message: "Another frame with the same name shows something else",
  *run({ document, exposed, plain }) {
    const framesIn = (inside) =>
      Array.from(inside.querySelectorAll("iframe")).flatMap((frame) => {
        const below = frame.hasAttribute("srcdoc") && frame.contentDocument;
        return below ? [frame].concat(framesIn(below)) : [frame];
      });
    const nameOf = (frame) =>
      plain(frame.getAttribute("aria-label") || frame.getAttribute("title") || "");
    const sourceOf = (frame) => {
      if (frame.hasAttribute("srcdoc")) return `srcdoc ${frame.getAttribute("srcdoc")}`;
      const source = frame.getAttribute("src");
      return source ? new URL(source, document.baseURI).href : null;
    };
    /** What a frame shows; null if its page belongs to another site. */
    const contentOf = (frame) => {
      const shown = frame.contentDocument?.documentElement;
      return shown ? shown.outerHTML.slice(0, 200_000).replace(/\s+/g, " ") : null;
    };
    const known = new Map();
    for (const frame of framesIn(document)) {
      const name = nameOf(frame);
      const source = sourceOf(frame);
      const hidden = frame.ownerDocument === document && !exposed(frame);
      if (name === "" || source === null || hidden) continue;
      const first = known.get(name);
      if (first === undefined) known.set(name, { source, content: contentOf(frame) });
      else if (first.source !== source) {
        const content = contentOf(frame);
        if (content !== null && content === first.content) continue;
        const mine = frame.ownerDocument === document;
        const shown = mine ? frame : frame.ownerDocument.defaultView.frameElement;
        const [one, other] = [first.source, source].map((address) => address.split(/[?#]/)[0]);
        // The same page with other parameters, or one of another site, may show the same.
        const isUnknown = content === null || first.content === null;
        yield { element: shown, review: isUnknown || one === other };
      }
    }
  },
};
