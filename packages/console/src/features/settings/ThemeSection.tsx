import "./theme.css";

import { type ReactElement, type ReactNode, useId } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { useForm } from "../shared/useForm.ts";
import { ThemePreview } from "./ThemePreview.tsx";
import { themeLabels, sourceLabels } from "./theme-labels.ts";
import { SettingBody } from "./SettingBody.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { type ThemeView, useSaveSetting, useSetting } from "./useSiteSettings.ts";

interface Choice {
  theme: ThemeView["theme"];
}

/** One of the looks as a card: its name, what it is, and a specimen of it. */
function Card(props: {
  name: string;
  choice: Choice["theme"];
  chosen: Choice["theme"];
  label: string;
  about: string;
  children?: ReactNode;
  onChoose(choice: Choice): void;
}): ReactElement {
  const { name, choice, chosen, label, about, children, onChoose } = props;
  const described = `${name}-${choice ?? "source"}`;
  return (
    <label className="place look">
      <input
        type="radio"
        name={name}
        value={choice ?? ""}
        checked={chosen === choice}
        aria-describedby={described}
        onChange={() => onChoose({ theme: choice })}
      />
      <span className="place-name">{label}</span>
      <span className="muted" id={described}>
        {about}
      </span>
      {children}
    </label>
  );
}

function ThemeEditor({ view }: { view: ThemeView }): ReactElement {
  const name = useId();
  const save = useSaveSetting("theme", "The look is saved.");
  const edited = useForm<Choice>({
    before: { theme: view.theme },
    saving: save,
    check: () => ({}),
    save: (form) => save.mutate(form),
  });
  const shared = { name, chosen: edited.form.theme, onChoose: edited.change };
  return (
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label="Look">
      <fieldset className="places looks">
        <legend>How the site looks</legend>
        <Card
          {...shared}
          choice={null}
          label="As the site’s source says"
          about={sourceLabels(view.sourceTheme)}
        />
        {view.themes.map((drawn) => (
          <Card key={drawn.theme} {...shared} choice={drawn.theme} {...themeLabels[drawn.theme]}>
            <ThemePreview drawn={drawn} />
          </Card>
        ))}
      </fieldset>
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      {save.isSuccess && !edited.changed && (
        <Notice kind="info">The site is being built anew with it.</Notice>
      )}
      <div className="actions">
        <Button variant="primary" type="submit" busy={save.isPending}>
          Save look
        </Button>
        <SaveState status={edited.status} />
      </div>
    </form>
  );
}

/** What the public site looks like: one of four, or what its source says. */
export function ThemeSection(): ReactElement {
  const theme = useSetting("theme");
  return (
    <SettingsSection
      id="look"
      title="Look"
      about="Letters, colours and corners of the public site, each in a light and a dark theme. Visitors choose the theme themselves."
    >
      <SettingBody query={theme} what="The look">
        {(view) => <ThemeEditor view={view} />}
      </SettingBody>
    </SettingsSection>
  );
}
