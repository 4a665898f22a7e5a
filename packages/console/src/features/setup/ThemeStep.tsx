import "../settings/theme.css";

import { type ReactElement, useState } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { QueryBody } from "../queries/QueryBody.tsx";
import { AccentChoice, colorsOf } from "../settings/AccentChoice.tsx";
import { ChoiceCards } from "../settings/ChoiceCards.tsx";
import { accentLabels, themeLabels } from "../settings/theme-labels.ts";
import { ThemePreview } from "../settings/ThemePreview.tsx";
import { type ThemeView, useSetting } from "../settings/useSettings.ts";
import { StepForm, type StepProps } from "./StepFrame.tsx";
import { type SetupView, useSaveAnswers } from "./useSetup.ts";

type Theme = NonNullable<ThemeView["theme"]>;
type Accent = NonNullable<ThemeView["accent"]>;

const accents = Object.keys(accentLabels) as Accent[];

function ThemeForm(props: StepProps & { view: SetupView; themes: ThemeView }): ReactElement {
  const { view, themes, go } = props;
  const save = useSaveAnswers();
  const present = view.answers.theme ?? themes.theme ?? themes.sourceTheme ?? "ink";
  const [theme, setTheme] = useState<Theme>(present);
  const presentAccent = view.answers.accent ?? themes.accent ?? themes.sourceAccent ?? "theme";
  const [accent, setAccent] = useState<Accent>(presentAccent);
  // A site whose theme.css has no such colors isn't asked for one.
  const answers = themes.accents.length === 0 ? { theme } : { theme, accent };
  return (
    <StepForm
      step="theme"
      label="Theme"
      go={go}
      busy={save.isPending}
      refusal={refusalOf(save.isError ? save.error : null)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate(answers, { onSuccess: () => go("model") });
      }}
    >
      <ChoiceCards<Theme>
        legend="Fonts and colors"
        className="theme-choices"
        choices={themes.themes.map(({ theme: value, ...drawn }) => ({
          value,
          label: themeLabels[value].label,
          about: themeLabels[value].about,
          preview: (
            <ThemePreview drawn={{ theme: value, ...drawn }} accent={colorsOf(themes, accent)} />
          ),
        }))}
        chosen={theme}
        onChoose={setTheme}
      />
      <AccentChoice<Accent> view={themes} chosen={accent} choices={accents} onChoose={setAccent} />
    </StepForm>
  );
}

/** The site's theme; each is shown with its own fonts and colors. */
export function ThemeStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const themes = useSetting("theme");
  return (
    <QueryBody
      query={themes}
      what="the themes"
      skeleton={{ count: 2, shape: "row", label: "Loading themes…" }}
    >
      {(data) => <ThemeForm view={view} themes={data} go={go} />}
    </QueryBody>
  );
}
