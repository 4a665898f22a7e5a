import { type ReactElement, useState } from "react";

import type { FindingRow } from "../../qa/group.ts";
import { asClientError } from "../client.ts";
import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { TextArea } from "../components/TextArea.tsx";
import { IgnoreDialog } from "./IgnoreDialog.tsx";
import { instructions, useFindingActions } from "./useFindingActions.ts";

/** The most characters of an instruction; the server's own bound. */
const longest = 2000;

function Refused(props: {
  several: boolean;
  error: unknown;
  busy: boolean;
  onRetry(): void;
}): ReactElement {
  return (
    <Notice
      kind="error"
      title={props.several ? "Not all of them were queued." : "It was not queued."}
      actions={
        <Button icon="reload" busy={props.busy} onClick={props.onRetry}>
          Retry
        </Button>
      }
    >
      {`${asClientError(props.error).message} What you wrote is kept.`}
    </Notice>
  );
}

interface ActionsProps {
  row: FindingRow;
  /** The id of what says which finding it is. */
  describedBy: string;
}

/** What is to be done about a finding, if that has to be said, and the ways to go on with it. */
export function FindingActions(props: ActionsProps): ReactElement {
  const { findings } = props.row;
  const [ignoring, setIgnoring] = useState(false);
  return (
    <>
      <FixForm {...props} onIgnore={() => setIgnoring(true)} />
      {ignoring && <IgnoreDialog findings={findings} onClose={() => setIgnoring(false)} />}
    </>
  );
}

function FixForm(props: ActionsProps & { onIgnore(): void }): ReactElement {
  const { findings } = props.row;
  const { fix } = useFindingActions();
  const [text, setText] = useState(() => instructions.read(findings[0]?.id ?? 0));
  const several = findings.length > 1;
  const tooLong = text.trim().length > longest;
  function write(next: string): void {
    setText(next);
    // Of what is told as one, all are mended as it is said here.
    for (const { id } of findings) instructions.write(id, next);
  }
  function send(): void {
    if (!tooLong) fix.mutate(findings);
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
        unseenLabel
        rows={1}
        placeholder="How to fix it (optional)"
        value={text}
        error={tooLong ? `No more than ${longest.toLocaleString("en")} characters.` : null}
        onChange={write}
      />
      <div className="actions">
        <Button type="submit" busy={fix.isPending} describedBy={props.describedBy}>
          {several ? `Fix all ${findings.length}` : "Fix"}
        </Button>
        <Button look="bare" describedBy={props.describedBy} onClick={props.onIgnore}>
          {several ? `Ignore all ${findings.length}` : "Ignore"}
        </Button>
      </div>
      {fix.isError && (
        <Refused several={several} error={fix.error} busy={fix.isPending} onRetry={send} />
      )}
    </form>
  );
}
