import type { FormEvent, ReactElement, ReactNode, RefObject } from "react";

import type { ApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { neighbor, type StepId } from "./steps.ts";

export interface StepProps {
  go(step: StepId): void;
}

/** The links of a step: back, on without an answer, and others. */
export function StepLinks(props: StepProps & { step: StepId; children?: ReactNode }): ReactElement {
  const { step, go } = props;
  const [back, next] = [neighbor(step, -1), neighbor(step, 1)];
  return (
    <div className="actions setup-actions">
      {back && <Button onClick={() => go(back)}>Back</Button>}
      {props.children}
      {next && (
        <Button variant="bare" onClick={() => go(next)}>
          Skip
        </Button>
      )}
    </div>
  );
}

/** A step with a form: its answers are saved, then the next step opens. */
export function StepForm(
  props: StepProps & {
    step: StepId;
    label: string;
    busy: boolean;
    refusal: ApiError | null;
    element?: RefObject<HTMLFormElement | null>;
    onSubmit(event: FormEvent): void;
    children: ReactNode;
  },
): ReactElement {
  return (
    <form
      ref={props.element}
      className="setup-form"
      noValidate
      aria-label={props.label}
      onSubmit={props.onSubmit}
    >
      {props.children}
      <ErrorState what="Couldn’t save your answers." error={props.refusal} />
      <StepLinks step={props.step} go={props.go}>
        <Button variant="primary" type="submit" busy={props.busy}>
          Save and continue
        </Button>
      </StepLinks>
    </form>
  );
}
