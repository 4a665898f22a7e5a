/**
 * How far a style rotates an element, and in which orientation of the device. Runs inside the page,
 * so it can't use anything outside the function.
 */
export function makeRotation() {
  const angleOf = ({ style }) => {
    const transform = style.getPropertyValue("transform");
    const rotate = style.getPropertyValue("rotate");
    if (transform === "" && rotate === "") return null;
    const turn = /^(-?[\d.]+)(deg|turn|rad|grad)$/.exec(rotate.replace(/^z\s+/, "").trim());
    const unit = { deg: 1, turn: 360, rad: 180 / Math.PI, grad: 0.9 };
    let angle = turn ? Number(turn[1]) * unit[turn[2]] : 0;
    // Lengths in percent or viewport units have nothing to do with rotation.
    const plain = transform.replace(/(translate|perspective)\w*\([^)]*\)/g, "").trim();
    if (plain !== "" && plain !== "none") {
      try {
        const { a, b } = new DOMMatrix(plain);
        angle += (Math.atan2(b, a) * 180) / Math.PI;
      } catch {
        return null;
      }
    }
    return angle;
  };
  const wayOf = (media, around) => {
    if (/^\s*(only\s+)?print\b[^,]*$/i.test(media)) return undefined;
    const other = /^not (all and )?\(\s*orientation\s*:\s*(\w+)\s*\)$/i.exec(media.trim())?.[2];
    if (other !== undefined) return /^portrait$/i.test(other) ? "landscape" : "portrait";
    const named = /\(\s*orientation\s*:\s*(portrait|landscape)\s*\)/i.exec(media)?.[1];
    if (named === undefined || /\bnot\b/i.test(media)) return around;
    const way = named.toLowerCase();
    return around === null || around === way ? way : undefined;
  };
  return { angleOf, wayOf };
}
