import type { ReactElement } from "react";

import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";
import { RadioGroup } from "../../ui/RadioGroup.tsx";
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
  const { view, chosen, choices, onChoose } = props;
  if (view.accents.length === 0) return null;
  const has = (accent: V) =>
    accent === null || accent === "theme" || colorsOf(view, accent) !== undefined;
  return (
    <RadioGroup
      legend="Accent color"
      className="accent-choices"
      optionClassName="accent-choice"
      options={choices.filter(has).map((value) => ({ value }))}
      chosen={chosen}
      onChoose={onChoose}
    >
      {({ value }) => (
        <>
          {value !== null && value !== "theme" && <Swatch colors={colorsOf(view, value)} />}
          {value === null ? "From the site’s source" : accentLabels[value]}
        </>
      )}
    </RadioGroup>
  );
}
