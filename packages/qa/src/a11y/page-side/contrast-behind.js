/**
 * The best contrast that a text has anywhere on the gradient or missing image behind it; null if
 * unknown. Runs inside the page, so it can't use anything outside the function.
 */
export function contrastBehind({ colorsIn, over, ratioOf, hex }, element) {
  /** A missing image shows nothing. */
  const isLost = (image) => {
    const url = /^url\("(.*)"\)$/.exec(image)?.[1];
    const [entry] = url === undefined ? [] : performance.getEntriesByName(url, "resource");
    return (entry?.responseStatus ?? 0) >= 400;
  };
  const style = getComputedStyle(element);
  const layers = [];
  let bottom = [255, 255, 255, 1];
  for (let at = element; at; at = at.parentElement) {
    const of = getComputedStyle(at);
    const plain =
      of.opacity === "1" &&
      of.filter === "none" &&
      of.mixBlendMode === "normal" &&
      of.position !== "fixed" &&
      of.backgroundClip === "border-box" &&
      of.textShadow === "none" &&
      of.backgroundBlendMode === "normal";
    if (!plain) return null;
    const [color] = colorsIn(of.backgroundColor);
    if (!color) return null;
    const image = of.backgroundImage;
    if (image !== "none" && !isLost(image)) {
      const whole = of.backgroundSize === "auto" && of.backgroundRepeat === "repeat";
      const single = /^(repeating-)?(linear|radial|conic)-gradient\((?:[^()]|\([^()]*\))*\)$/.test(
        image,
      );
      const stops = colorsIn(image);
      if (!whole || !single || stops.length < 2 || /color\(|lab|lch|oklab/.test(image)) return null;
      layers.push(stops);
      if (stops.every((stop) => stop[3] === 1)) break;
    }
    if (color[3] === 1) {
      bottom = color;
      break;
    }
    if (color[3] > 0) layers.push([color]);
    // Behind it may be something else than its ancestors.
    if (/absolute|sticky/.test(of.position)) return null;
  }
  // From the lowest layer up; each may have any of its colors.
  let backs = [bottom];
  for (const layer of layers.toReversed()) {
    backs = layer.flatMap((color) => backs.map((back) => over(color, back)));
    if (backs.length > 64) return null;
  }
  const [front] = colorsIn(style.color);
  if (!front || backs.length === 0) return null;
  const tried = backs.map((back) => ({ back, ratio: ratioOf(over(front, back), back) }));
  const best = tried.toSorted((a, b) => b.ratio - a.ratio)[0];
  if (!best) return null;
  const size = Number.parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number.parseInt(style.fontWeight, 10) >= 700);
  return {
    front: hex(over(front, best.back)),
    back: hex(best.back),
    ratio: Math.floor(best.ratio * 100) / 100,
    needed: large ? 4.5 : 7,
  };
}
