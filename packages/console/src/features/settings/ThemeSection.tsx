import "./theme.css";

import type { ReactElement } from "react";

import { Notice } from "../../ui/Notice.tsx";
import { useForm } from "../forms/useForm.ts";
import { useRebuildState } from "../rebuild/RebuildBanner.tsx";
import { AccentChoice, colorsOf } from "./AccentChoice.tsx";
import { ChoiceCards } from "./ChoiceCards.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { accentLabels, themeLabels, sourceLabels } from "./theme-labels.ts";
import { ThemePreview } from "./ThemePreview.tsx";
import { type ThemeView, useSaveSetting, useSetting } from "./useSettings.ts";

type ThemeForm = Pick<ThemeView, "theme" | "accent">;

const accents = [null, ...(Object.keys(accentLabels) as NonNullable<ThemeView["accent"]>[])];

function ThemeEditor({ view }: { view: ThemeView }): ReactElement {
  const save = useSaveSetting("theme", "Theme saved.");
  const { current } = useRebuildState();
  const isRebuilding = current === "pending" || current === "building";
  const edited = useForm<ThemeForm>({
    before: { theme: view.theme, accent: view.accent },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  const source = {
    value: null,
    label: "Set by the site’s source",
    about: sourceLabels(view.sourceTheme),
  };
  const themes = view.themes.map((drawn) => ({
    value: drawn.theme,
    preview: <ThemePreview drawn={drawn} accent={colorsOf(view, edited.form.accent)} />,
    ...themeLabels[drawn.theme],
  }));
  return (
    <SettingForm edited={edited} label="Theme" save="Save theme">
      <ChoiceCards
        legend="Theme of the public site"
        className="theme-choices"
        choices={[source, ...themes]}
        chosen={edited.form.theme}
        onChoose={(theme) => edited.set({ theme })}
      />
      <AccentChoice
        view={view}
        chosen={edited.form.accent}
        choices={accents}
        onChoose={(accent) => edited.set({ accent })}
      />
      {save.isSuccess && !edited.changed && isRebuilding && (
        <Notice kind="info">Rebuilding the site with the new theme.</Notice>
      )}
    </SettingForm>
  );
}

/** The public site's theme and accent color, chosen here or by its source. */
export function ThemeSection(): ReactElement {
  const theme = useSetting("theme");
  return (
    <SettingSection
      id="theme"
      title="Theme"
      about="Fonts, colors and corners of the public site. Each theme has a light and a dark mode, and visitors choose between them. The accent color is used for links and buttons."
      setting={theme}
      what="the theme"
    >
      {(view) => <ThemeEditor view={view} />}
    </SettingSection>
  );
}
