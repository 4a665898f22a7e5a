import { type ReactElement, type ReactNode, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { passwordErrors, type PasswordFields } from "./password-form.ts";
import { type PasswordView, useSavePassword } from "./usePassword.ts";

const empty: PasswordFields = { current: "", password: "" };

function Fields(props: { edited: EditedForm<PasswordFields>; isSet: boolean }): ReactElement {
  const { edited, isSet } = props;
  const [isShown, setShown] = useState(false);
  const type = isShown ? "text" : "password";
  return (
    <>
      {isSet && (
        <TextInput
          label="Current password"
          {...edited.field("current")}
          type={type}
          autoComplete="current-password"
          maxLength={1024}
        />
      )}
      <TextInput
        label="New password"
        {...edited.field("password")}
        hint="At least 8 characters. Four or five random words make a good one."
        type={type}
        autoComplete="new-password"
        maxLength={1024}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isShown}
          onChange={(event) => setShown(event.target.checked)}
        />
        <span>Show password</span>
      </label>
    </>
  );
}

/** Sets the first password, or changes it with the current one. */
export function PasswordForm(props: {
  view: PasswordView;
  save: string;
  /** Further actions next to the button. */
  actions?: ReactNode;
}): ReactElement {
  const { isSet } = props.view;
  const save = useSavePassword();
  const edited = useForm<PasswordFields>({
    before: empty,
    saving: save,
    check: (form) => passwordErrors(form, isSet),
    save({ current, password }) {
      const sent = isSet ? { password, current } : { password };
      save.mutate(sent, {
        onSuccess: () => edited.clear(),
      });
    },
  });
  return (
    <form
      ref={edited.element}
      noValidate
      onSubmit={edited.submit}
      aria-label={isSet ? "Change password" : "Choose a password"}
    >
      <Fields edited={edited} isSet={isSet} />
      <ErrorState what="Couldn’t save the password." error={edited.refusal} />
      <div className="actions">
        <Button variant="primary" type="submit" busy={edited.status === "saving"}>
          {props.save}
        </Button>
        {props.actions}
        <SaveState status={edited.status === "changed" ? "clean" : edited.status} />
      </div>
    </form>
  );
}
