/** A version as `vX.Y.Z` tags and packages have it; before a release, `X.Y.Z-next.1`. */
const versionPattern = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z][0-9A-Za-z.-]{0,60}))?$/;

/** Whether a text is a version that `compareVersions` understands, and safe as a file's name. */
export function isVersion(text: string): boolean {
  return versionPattern.test(text);
}

function comparePrereleases(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(one) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

/**
 * Negative if `a` is older than `b`, positive if it is newer, 0 if they are the same; the order of
 * semantic versions. What isn't a version is older than every version.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionPattern.exec(a), versionPattern.exec(b)];
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  for (const at of [1, 2, 3]) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference;
  }
  const [pre, otherPre] = [left[4], right[4]];
  if (pre === undefined || otherPre === undefined) {
    return Number(pre === undefined) - Number(otherPre === undefined);
  }
  return comparePrereleases(pre, otherPre);
}

/** The newest of these versions, without those before a release; null if there is none. */
export function newestRelease(versions: readonly string[]): string | null {
  const released = versions.filter((version) => isVersion(version) && !version.includes("-"));
  return released.toSorted(compareVersions).at(-1) ?? null;
}
