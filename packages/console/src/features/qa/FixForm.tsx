import { type ReactElement, useId, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { tabStorage } from "../../ui/storage.ts";
import { TextArea } from "../../ui/TextArea.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { makeInstructions } from "./instruction-drafts.ts";
import { refusalLabels } from "./source-labels.ts";

/** Maximum characters of an instruction, as on the server. */
const maxLength = 2000;

type FixRefusal = NonNullable<QaFinding["fix"]["refusal"]>;

const instructions = makeInstructions(tabStorage);

export interface FixFormProps {
  /** At least one; grouped findings are fixed together. */
  findings: readonly QaFinding[];
  busy: boolean;
  /** Why the last attempt failed; null if it didn't. */
  error: unknown;
  /** The ID of the element that describes the finding. */
  describedBy?: string;
  onFix(): void;
  onIgnore(): void;
}

function failureText(all: string): string {
  return all === "" ? "Couldn’t queue the fix." : "Couldn’t queue every fix.";
}

/** Why none of the findings can be fixed; null if one can. */
function refusalOf(findings: readonly QaFinding[]): FixRefusal | null {
  const refusals = findings.map(({ fix }) => fix.refusal);
  return refusals.every((one) => one !== null) ? (refusals[0] ?? null) : null;
}

function Refusal({ id, refusal }: { id: string; refusal: FixRefusal }): ReactElement {
  return (
    <p id={id} className="muted qa-said">
      {refusalLabels[refusal]} <a href="/admin/settings#model">Set up a model</a>
    </p>
  );
}

/** How to fix a finding, with an optional note and buttons. */
export function FixForm(props: FixFormProps): ReactElement {
  const { findings, busy, onFix, onIgnore } = props;
  const described = props.describedBy === undefined ? {} : { describedBy: props.describedBy };
  const [text, setText] = useState(() => instructions.read(findings[0]?.id ?? 0));
  const all = findings.length > 1 ? ` all ${findings.length}` : "";
  const tooLong = text.trim().length > maxLength;
  const refusalId = useId();
  const refusal = refusalOf(findings);
  const fixDescribed = refusal === null ? described : { describedBy: refusalId };
  // An exact instruction needs no model, which the server decides.
  const isRefused = refusal !== null && text.trim() === "";
  function write(next: string): void {
    setText(next);
    for (const { id } of findings) instructions.write(id, next);
  }
  function send(): void {
    if (!tooLong && !busy && !isRefused) onFix();
  }
  return (
    <form
      className="qa-fix"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        label="Instruction"
        visuallyHiddenLabel
        rows={1}
        placeholder="How to fix it (optional)"
        value={text}
        error={tooLong ? `No more than ${maxLength.toLocaleString("en")} characters.` : null}
        onChange={write}
      />
      <div className="actions">
        <Button type="submit" busy={busy} inert={isRefused} {...fixDescribed}>
          {`Fix${all}`}
        </Button>
        <Button variant="bare" {...described} onClick={onIgnore}>
          {`Ignore${all}`}
        </Button>
      </div>
      {refusal !== null && <Refusal id={refusalId} refusal={refusal} />}
      <ErrorState
        what={failureText(all)}
        error={props.error}
        note="What you wrote is kept."
        busy={busy}
        onRetry={send}
      />
    </form>
  );
}
