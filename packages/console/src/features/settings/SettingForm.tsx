import type { ReactElement, ReactNode } from "react";

import { Button } from "../../ui/Button.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { FormState } from "../forms/useForm.ts";

/** A setting's form: its fields, its error, and the buttons with the state of saving. */
export function SettingForm(props: {
  edited: FormState;
  /** The form's name. */
  label: string;
  /** The save button's label. */
  save: string;
  /** Whether it can't be saved at the moment. */
  inert?: boolean;
  /** The title of an error that belongs to no field. */
  refused?: string;
  /** Additional buttons. */
  actions?: ReactNode;
  /** The state of saving, if the form doesn't know it. */
  state?: ReactElement;
  children: ReactNode;
}): ReactElement {
  const { edited } = props;
  return (
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label={props.label}>
      {props.children}
      <ErrorState what={props.refused ?? "Couldn’t save changes."} error={edited.refusal} />
      <div className="actions">
        <Button
          variant="primary"
          type="submit"
          busy={edited.status === "saving"}
          inert={props.inert ?? false}
        >
          {props.save}
        </Button>
        {props.actions}
        {props.state ?? <SaveState status={edited.status} />}
      </div>
    </form>
  );
}
