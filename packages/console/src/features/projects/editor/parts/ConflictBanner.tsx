import { type ReactElement, useEffect, useId, useRef } from "react";

import { useAnnounce } from "../../../../api/context.tsx";
import { Button } from "../../../../ui/Button.tsx";
import { ConflictRow } from "../../../forms/ConflictRow.tsx";
import { Time } from "../../../time/Time.tsx";
import { choiceOf, conflictsOf, type Difference } from "../changes.ts";
import { fieldText } from "../field-labels.ts";
import { fieldLabels, toValues } from "../form.ts";
import type { SectionProps } from "./section-props.ts";

const changedBy: Readonly<Record<Difference["changedBy"], string>> = {
  me: "changed by you",
  them: "changed by someone else",
  both: "changed by both",
};

function Row(props: SectionProps & { difference: Difference }): ReactElement | null {
  const { state, difference, dispatch } = props;
  const { field } = difference;
  if (state.conflict === null) return null;
  return (
    <ConflictRow
      label={fieldLabels[field]}
      note={changedBy[difference.changedBy]}
      mine={fieldText(toValues(state.form), field)}
      theirs={fieldText(state.conflict.theirs, field)}
      chosen={choiceOf(difference, state.conflict.choices)}
      onChoose={(choice) => dispatch({ type: "choose", fields: [field], choice })}
    />
  );
}

/**
 * Shows what somebody else has saved, field by field, and lets the owner decide; nothing is lost.
 */
export function ConflictBanner(props: SectionProps & { onSave(): void }): ReactElement | null {
  const { state, dispatch } = props;
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const announce = useAnnounce();
  const theirs = state.conflict?.theirs;
  useEffect(() => {
    if (theirs === undefined) return;
    title.current?.focus();
    announce("Not saved. Someone else saved this project first.");
  }, [theirs, announce]);
  if (theirs === undefined) return null;
  const differences = conflictsOf(state.base, state.form, theirs);
  const fields = differences.map(({ field }) => field);
  return (
    <section className="conflict" aria-labelledby={id}>
      <h2 id={id} ref={title} tabIndex={-1}>
        Someone else saved this project
      </h2>
      <p>
        Their version is from <Time iso={theirs.updatedAt} />. Your changes are still here and not
        saved yet.{" "}
        {differences.length === 0
          ? "Both versions are the same."
          : "These fields differ. You can restore the versions you don’t choose."}
      </p>
      {differences.map((difference) => (
        <Row key={difference.field} {...props} difference={difference} />
      ))}
      <div className="actions">
        <Button variant="primary" onClick={props.onSave}>
          {differences.length === 0 ? "Continue" : "Save choices"}
        </Button>
        {differences.length > 1 && (
          <>
            <Button onClick={() => dispatch({ type: "choose", fields, choice: "mine" })}>
              Keep all of yours
            </Button>
            <Button onClick={() => dispatch({ type: "choose", fields, choice: "theirs" })}>
              Use all of theirs
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
