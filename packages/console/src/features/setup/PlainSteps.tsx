import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { refusalOf } from "../../api/useAction.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { usePassword } from "../password/usePassword.ts";
import { useSetting } from "../settings/useSettings.ts";
import { StepLinks, type StepProps } from "./StepFrame.tsx";
import { useSaveAnswers } from "./useSetup.ts";

/** Where to begin: here, or by importing existing content. */
export function StartStep({ go }: StepProps): ReactElement {
  const password = usePassword();
  return (
    <>
      <p>
        This site still shows a sample person. Answer a few questions, and it’s yours. You can skip
        each of them, leave at any time, and come back: your answers are saved as you go. Nothing
        goes live before you publish it in the last step.
      </p>
      {password.data && !password.data.isSet && (
        <p>
          You have no password yet. <a href="/admin/password">Choose a password</a> so that you can
          sign in again without a link.
        </p>
      )}
      <div className="actions setup-actions">
        <Button variant="primary" onClick={() => go("you")}>
          Start
        </Button>
      </div>
      <h3>Do you have a résumé or case studies as files?</h3>
      <p>
        Import them first, then come back here for the rest. The folder of a site made with Astro,
        Eleventy, Gatsby, Hugo or Jekyll works as it is; so does a JSON Resume.
      </p>
      <div className="actions setup-actions">
        <a className="button" href="/admin/import">
          Import a résumé or a folder
        </a>
      </div>
    </>
  );
}

/** A language model, or none: everything here works without one. */
export function ModelStep({ go }: StepProps): ReactElement {
  const model = useSetting("model");
  const save = useSaveAnswers();
  return (
    <>
      <p>
        {model.data?.id
          ? "A language model is set up. Describe a change in your own words, and an agent makes it."
          : "With a language model, you can describe changes in your own words. Without one, everything else works: this setup, projects, images, themes, and exact text replacements."}
      </p>
      <p>
        <a href="/admin/settings#model">Choose a model in the settings</a>
      </p>
      <ErrorState what="Couldn’t save your answer." error={refusalOf(save.error)} />
      <StepLinks step="model" go={go}>
        <Button
          variant="primary"
          busy={save.isPending}
          onClick={() => save.mutate({ model: "without" }, { onSuccess: () => go("mail") })}
        >
          Continue without a model
        </Button>
      </StepLinks>
    </>
  );
}

/** How email is sent; this can wait. */
export function MailStep({ go }: StepProps): ReactElement {
  return (
    <>
      <p>
        Messages from your contact form are always kept under Messages. To get them by email as
        well, set up how email is sent.
      </p>
      <p>
        <a href="/admin/settings#mail">Set up email in the settings</a>
      </p>
      <StepLinks step="mail" go={go}>
        <Button variant="primary" onClick={() => go("publish")}>
          Set up email later
        </Button>
      </StepLinks>
    </>
  );
}
