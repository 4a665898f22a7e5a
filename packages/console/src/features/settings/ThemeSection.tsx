import "./theme.css";

import type { ReactElement } from "react";

import { Notice } from "../../ui/Notice.tsx";
import { useForm } from "../shared/useForm.ts";
import { ChoiceCards } from "./ChoiceCards.tsx";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { themeLabels, sourceLabels } from "./theme-labels.ts";
import { ThemePreview } from "./ThemePreview.tsx";
import { type ThemeView, useSaveSetting, useSetting } from "./useSettings.ts";

interface ThemeForm {
  theme: ThemeView["theme"];
}

function ThemeEditor({ view }: { view: ThemeView }): ReactElement {
  const save = useSaveSetting("theme", "The look is saved.");
  const edited = useForm<ThemeForm>({
    before: { theme: view.theme },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  const source = {
    value: null,
    label: "As the site’s source says",
    about: sourceLabels(view.sourceTheme),
  };
  const themes = view.themes.map((drawn) => ({
    value: drawn.theme,
    preview: <ThemePreview drawn={drawn} />,
    ...themeLabels[drawn.theme],
  }));
  return (
    <SettingForm edited={edited} label="Look" save="Save look">
      <ChoiceCards
        legend="How the site looks"
        look="looks"
        choices={[source, ...themes]}
        chosen={edited.form.theme}
        onChoose={(theme) => edited.change({ theme })}
      />
      {save.isSuccess && !edited.changed && (
        <Notice kind="info">The site is being built anew with it.</Notice>
      )}
    </SettingForm>
  );
}

/** What the public site looks like: one of four, or what its source says. */
export function ThemeSection(): ReactElement {
  const theme = useSetting("theme");
  return (
    <SettingSection
      id="look"
      title="Look"
      about="Letters, colours and corners of the public site, each in a light and a dark theme. Visitors choose the theme themselves."
      setting={theme}
      what="The look"
    >
      {(view) => <ThemeEditor view={view} />}
    </SettingSection>
  );
}
