import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { ConflictRow } from "../forms/ConflictRow.tsx";
import { conflictsOf, type FileDraft, rebased, type Stale } from "./draft.ts";
import { labelOf, readable } from "./values.ts";

interface Props {
  /** What the page is called. */
  title: string;
  draft: FileDraft;
  stale: Stale;
  /** Saves with this draft of the file; null drops it. */
  onResolved(draft: FileDraft | null): void;
}

function Conflicts({ draft, stale, onResolved }: Props): ReactElement {
  const fields = conflictsOf(draft, stale);
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (field: string, isTheirs: boolean): void => {
    const others = [...theirs].filter((other) => other !== field);
    setTheirs(new Set(isTheirs ? [...others, field] : others));
  };
  return (
    <>
      <p>
        Your changes are still here.{" "}
        {fields.length === 0
          ? "The other change is in different fields from yours, so you can keep both."
          : "Both of you changed the fields below. Choose a version for each."}
      </p>
      {fields.map((field) => (
        <ConflictRow
          key={field}
          label={labelOf(field)}
          mine={readable(draft.values[field])}
          theirs={readable(stale.content[field])}
          chosen={theirs.has(field) ? "theirs" : "mine"}
          onChoose={(choice) => choose(field, choice === "theirs")}
        />
      ))}
      <div className="actions">
        <Button variant="primary" onClick={() => onResolved(rebased(draft, stale, theirs))}>
          {fields.length === 0 ? "Build preview with both" : "Build preview with your choices"}
        </Button>
        {fields.length > 1 && (
          <>
            <Button onClick={() => setTheirs(new Set())}>Keep all of yours</Button>
            <Button onClick={() => setTheirs(new Set(fields))}>Use all of theirs</Button>
          </>
        )}
      </div>
    </>
  );
}

/** Says that a page is another one by now, field by field, and lets the owner decide; nothing is lost. */
export function StalePage(props: Props): ReactElement {
  const { title, draft, stale, onResolved } = props;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [stale.hash]);
  return (
    <section className="conflict" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        “{title}” has changed since you opened it
      </h2>
      {draft.isDeleted ? (
        <>
          <p>You marked this page for deletion before it changed.</p>
          <div className="actions">
            <Button variant="danger" onClick={() => onResolved({ ...draft, hash: stale.hash })}>
              Delete it anyway
            </Button>
            <Button onClick={() => onResolved(null)}>Keep the page</Button>
          </div>
        </>
      ) : (
        <Conflicts key={stale.hash} {...props} />
      )}
    </section>
  );
}
