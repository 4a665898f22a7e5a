import { type ReactElement, useId } from "react";

import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";
import { accentLabels } from "./theme-labels.ts";

type Accent = NonNullable<ThemeView["accent"]>;
type Colors = Pick<ThemeView, "accents" | "sourceAccent">;

/** An accent's colors in both color schemes; undefined for the theme's own. */
export function colorsOf(
  { accents, sourceAccent }: Colors,
  accent: Accent | null,
): ThemeView["accents"][number] | undefined {
  return accents.find((one) => one.accent === (accent ?? sourceAccent));
}

function Swatch({ colors }: { colors: ThemeView["accents"][number] | undefined }): ReactElement {
  const [light, dark] = [colors?.light ?? "transparent", colors?.dark ?? "transparent"];
  return (
    <span
      className="accent-swatch"
      aria-hidden="true"
      style={{ background: `linear-gradient(135deg, ${light} 50%, ${dark} 50%)` }}
    />
  );
}

/**
 * The accent color, separate from the theme; `null` leaves it to the site's source, if that is an
 * option.
 */
export function AccentChoice<V extends Accent | null>(props: {
  view: Colors;
  chosen: V;
  choices: readonly V[];
  onChoose(accent: V): void;
}): ReactElement | null {
  const { view, chosen, choices } = props;
  const name = useId();
  if (view.accents.length === 0) return null;
  const has = (accent: V) =>
    accent === null || accent === "theme" || colorsOf(view, accent) !== undefined;
  return (
    <fieldset className="accent-choices">
      <legend>Accent color</legend>
      {choices.filter(has).map((accent) => (
        <label key={accent} className="accent-choice">
          <input
            type="radio"
            name={name}
            value={accent ?? ""}
            checked={chosen === accent}
            onChange={() => props.onChoose(accent)}
          />
          {accent !== null && accent !== "theme" && <Swatch colors={colorsOf(view, accent)} />}
          {accent === null ? "The source’s color" : accentLabels[accent]}
        </label>
      ))}
    </fieldset>
  );
}
