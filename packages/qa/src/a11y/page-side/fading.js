/**
 * Texts whose colors aren't those that they will have. Runs inside the page, so it can't use anything
 * outside the function.
 */
export function makeFading(document) {
  const changing = new Map();
  /** Whether an animation changes colors; remembered, because it is asked for each text. */
  const changesColors = (animation) => {
    if (!changing.has(animation)) {
      const keyframes = animation.effect?.getKeyframes?.() ?? [];
      const names = keyframes.flatMap((frame) => Object.keys(frame));
      const isColor = (name) => /opacity|color|background|filter/i.test(name);
      changing.set(animation, names.some(isColor));
    }
    return changing.get(animation);
  };
  return {
    /** Whether a running animation changes the colors of an element. */
    isFading: (element) =>
      (document.getAnimations?.() ?? []).some(
        (animation) =>
          animation.playState === "running" &&
          animation.effect?.target?.contains(element) &&
          changesColors(animation),
      ),
  };
}
