/**
 * All helpers for rules, on the tree that axe has set up. Runs inside the page, so it can't use
 * anything outside the function.
 */
export function makeWholeKit(parts, document) {
  const tree = parts.makeTree(parts.axe);
  const labels = parts.makeLabels(tree);
  const blocked = parts.makeBlocked(document);
  const names = { ...labels, ...blocked, ...parts.makeSpokenText(tree, labels) };
  const kit = {
    ...parts.makeKit(parts.axe, document, names),
    ...parts.makeTextTools(document),
    ...parts.makeAddresses(),
    ...parts.makeRotation(),
    ...parts.makeSound(),
    ...tree,
    ...parts.makeOutlines(document),
    ...parts.makeFocus(document),
    ...parts.makeFading(document),
  };
  Object.assign(kit, parts.makeElementFacts(kit), parts.makeGlyphs(kit));
  const attributeVetoes = parts.makeAttributeVetoes(kit);
  const accesslintVetoes = parts.makeAccesslintVetoes(kit);
  return { ...kit, ...parts.makeReach(kit), attributeVetoes, accesslintVetoes };
}
