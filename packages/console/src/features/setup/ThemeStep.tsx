import "../settings/theme.css";

import { type ReactElement, useState } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { QueryBody } from "../queries/QueryBody.tsx";
import { ChoiceCards } from "../settings/ChoiceCards.tsx";
import { themeLabels } from "../settings/theme-labels.ts";
import { ThemePreview } from "../settings/ThemePreview.tsx";
import { type ThemeView, useSetting } from "../settings/useSettings.ts";
import { StepForm, type StepProps } from "./StepFrame.tsx";
import { type SetupView, useSaveAnswers } from "./useSetup.ts";

type Theme = NonNullable<ThemeView["theme"]>;

function ThemeForm(props: StepProps & { view: SetupView; themes: ThemeView }): ReactElement {
  const { view, themes, go } = props;
  const save = useSaveAnswers();
  const present = view.answers.theme ?? themes.theme ?? themes.sourceTheme ?? "ink";
  const [theme, setTheme] = useState<Theme>(present);
  return (
    <StepForm
      step="theme"
      label="Theme"
      go={go}
      busy={save.isPending}
      refusal={refusalOf(save.isError ? save.error : null)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate({ theme }, { onSuccess: () => go("model") });
      }}
    >
      <ChoiceCards<Theme>
        legend="Fonts and accent color"
        className="theme-choices"
        choices={themes.themes.map(({ theme: value, ...drawn }) => ({
          value,
          label: themeLabels[value].label,
          about: themeLabels[value].about,
          preview: <ThemePreview drawn={{ theme: value, ...drawn }} />,
        }))}
        chosen={theme}
        onChoose={setTheme}
      />
    </StepForm>
  );
}

/** How the site looks; every theme is drawn with its own fonts and colors. */
export function ThemeStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const themes = useSetting("theme");
  return (
    <QueryBody
      query={themes}
      what="The themes"
      skeleton={{ count: 2, shape: "row", label: "Loading themes…" }}
    >
      {(data) => <ThemeForm view={view} themes={data} go={go} />}
    </QueryBody>
  );
}
