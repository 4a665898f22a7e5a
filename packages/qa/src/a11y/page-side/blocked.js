/**
 * Whether nobody can reach an element: it is inert, or behind an open modal dialog. Runs inside the
 * page, so it can't use anything outside the function.
 */
export function makeBlocked(document) {
  const dialogs = Array.from(document.querySelectorAll("dialog"));
  const modal = dialogs.findLast((dialog) => dialog.matches(":modal"));
  const above = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  return {
    isBlocked(element) {
      let isInModal = modal === undefined;
      for (let at = element; at; at = above(at)) {
        if (at.hasAttribute("inert")) return true;
        isInModal ||= at === modal;
      }
      return !isInModal;
    },
  };
}

/**
 * Whether a frame's document is out of everybody's reach: the frame, or one around it, is inert or
 * behind a modal dialog. Runs inside the page, so it can't use anything outside the function.
 */
export function isFrameBlocked(frameWindow, parts) {
  // A frame of another origin has no `frameElement` that we may see; neither has the page itself.
  for (let at = frameWindow; at.frameElement; at = at.parent) {
    const frame = at.frameElement;
    if (parts.makeBlocked(frame.ownerDocument).isBlocked(frame)) return true;
  }
  return false;
}
