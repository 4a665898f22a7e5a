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
 * Whether the frame that shows a document is out of everybody's reach: inert, or behind a modal
 * dialog. Runs inside the page, so it can't use anything outside the function.
 */
export function isFrameBlocked({ frameElement: frame }) {
  if (!frame) return false;
  const dialogs = [...frame.ownerDocument.querySelectorAll("dialog")];
  const modal = dialogs.findLast((dialog) => dialog.matches(":modal"));
  return frame.closest("[inert]") !== null || (modal !== undefined && !modal.contains(frame));
}
