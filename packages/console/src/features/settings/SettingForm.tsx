import type { ReactElement, ReactNode } from "react";

import { Button } from "../../ui/Button.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { FormState } from "../forms/useForm.ts";

/** The form of a setting: its fields, why it was not saved, and the buttons with how saving is. */
export function SettingForm(props: {
  edited: FormState;
  /** What the form is called. */
  label: string;
  /** What the button that saves it says. */
  save: string;
  /** Whether it can't be saved just now. */
  inert?: boolean;
  /** What a refusal that belongs to no field means. */
  refused?: string;
  /** Further buttons. */
  actions?: ReactNode;
  /** How saving is, where that is more than the form knows. */
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
