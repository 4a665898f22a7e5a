/**
 * Labels that axe doesn't consider: those of buttons, and hidden ones. Runs inside the page, so it
 * can't use anything outside the function.
 */
export function makeLabels({ rendered }) {
  /** Letters of an icon font belong to no language and mean nothing. */
  const words = (text) => text.replace(/\p{Co}/gu, "").trim();
  /** A label also counts for a button, and if it is hidden. */
  const labelsOf = (element) =>
    Array.from(element.labels ?? [])
      .filter((label) => !rendered(label) || element.matches("button, input[type]"))
      .flatMap((label) => Array.from(label.childNodes))
      .filter((node) => node !== element && !node.contains?.(element))
      .filter((node) => node.nodeType === 3 || !node.matches?.("select, textarea, input, button"))
      .map((node) => node.textContent ?? "")
      .join(" ");
  /** The default text of a native button doesn't count; an image's does. */
  const isBare = (element) => {
    const given = ["alt", "value", "aria-label", "title"];
    const needed = element.matches("input[type=image i]")
      ? given.filter((name) => name !== "value")
      : given.filter((name) => name !== "alt");
    const named = (element.getAttribute("aria-labelledby") ?? "")
      .split(/\s+/)
      .map((id) => (id === "" ? null : element.getRootNode().getElementById?.(id)));
    return (
      element.matches("input[type=image i], input:is([type=submit i], [type=reset i])[value]") &&
      !needed.some((name) => /\S/.test(element.getAttribute(name) ?? "")) &&
      !named.some((one) => /\S/.test(one?.textContent ?? "") || one?.matches("img")) &&
      words(labelsOf(element)) === ""
    );
  };
  return { words, labelsOf, isBare };
}
