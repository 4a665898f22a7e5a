import type { ReactElement, ReactNode } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import type { Form } from "../form.ts";
import { type PlacedFlag, whereLabel } from "./flags.ts";

/** Notes below fields about content that isn't in the brief. */
export function flagNotes(
  flags: readonly PlacedFlag[],
  onKeep: (flag: PlacedFlag) => void,
): (name: string) => ReactNode {
  return (name) => {
    const own = flags.filter(({ path }) => path === name);
    return own.length === 0 ? null : <FlagNote flags={own} onKeep={onKeep} />;
  };
}

function FlagNote(props: {
  flags: readonly PlacedFlag[];
  onKeep(flag: PlacedFlag): void;
}): ReactElement {
  return (
    <>
      {props.flags.map((flag) => (
        <p key={flag.text} className="flag">
          <span>
            Not in your brief: <mark>{flag.text}</mark>. Keep or change.
          </span>
          <Button variant="bare" label={`Keep “${flag.text}”`} onClick={() => props.onKeep(flag)}>
            Keep
          </Button>
        </p>
      ))}
    </>
  );
}

/** The list of all of them above the form, each linked to its field. */
export function FlagList(props: {
  form: Form;
  flags: readonly PlacedFlag[];
  onGo(path: string): void;
  onKeepAll(): void;
}): ReactElement | null {
  const { form, flags } = props;
  if (flags.length === 0) return null;
  return (
    <Notice
      kind="warn"
      quiet
      title={`${formatCount(flags.length, "thing")} ${flags.length === 1 ? "isn’t" : "aren’t"} in your brief`}
      actions={<Button onClick={props.onKeepAll}>Keep all</Button>}
    >
      <ul className="flag-list">
        {flags.map(({ path, text }) => (
          <li key={`${path} ${text}`}>
            <button type="button" className="flag-link" onClick={() => props.onGo(path)}>
              <mark>{text}</mark> in {whereLabel(form, path)}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
