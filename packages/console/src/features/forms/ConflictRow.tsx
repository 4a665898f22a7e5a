import { type ReactElement, useId } from "react";

import { diffExcerpts, type ValueDiff } from "./diff-excerpts.ts";

function Text({ shown }: { shown: ValueDiff }): ReactElement {
  const { before, differs, after } = shown;
  if (before + differs + after === "") return <i>empty</i>;
  return (
    <>
      {before}
      {differs !== "" && <mark>{differs}</mark>}
      {after}
    </>
  );
}

function Side(props: {
  name: string;
  label: string;
  chosen: boolean;
  shown: ValueDiff;
  onChoose(): void;
}): ReactElement {
  const id = useId();
  return (
    <div className="conflict-side" data-chosen={props.chosen}>
      <label htmlFor={id}>
        <input
          id={id}
          type="radio"
          name={props.name}
          checked={props.chosen}
          aria-describedby={`${id}-text`}
          onChange={props.onChoose}
        />
        {props.label}
      </label>
      <p id={`${id}-text`}>
        <Text shown={props.shown} />
      </p>
    </div>
  );
}

/** One field that differs in two versions, and which of both it is to be. */
export function ConflictRow(props: {
  label: string;
  /** Who changed it. */
  note?: string;
  mine: string;
  theirs: string;
  chosen: "mine" | "theirs";
  onChoose(choice: "mine" | "theirs"): void;
}): ReactElement {
  const { chosen, onChoose } = props;
  const name = useId();
  const [mine, theirs] = diffExcerpts(props.mine, props.theirs);
  return (
    <fieldset className="conflict-row">
      <legend>
        {props.label} {props.note && <span className="muted">{props.note}</span>}
      </legend>
      <div className="conflict-sides">
        <Side
          name={name}
          label="Keep yours"
          shown={mine}
          chosen={chosen === "mine"}
          onChoose={() => onChoose("mine")}
        />
        <Side
          name={name}
          label="Use theirs"
          shown={theirs}
          chosen={chosen === "theirs"}
          onChoose={() => onChoose("theirs")}
        />
      </div>
    </fieldset>
  );
}
