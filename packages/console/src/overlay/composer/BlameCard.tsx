import { type ReactElement, useEffect, useRef } from "react";

import type { Blame, PickedElement } from "../../api/types.ts";
import { formatRelativeTime, usageLabels, splitPath } from "../../features/runs/labels.ts";
import { RefusalNotice } from "../../features/errors/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import css from "./blame.css?inline";
import { useBlame } from "./useBlame.ts";

/** Who last changed an element: the run or the person, why, when, and its usage. */
export function BlameCard(props: {
  element: PickedElement;
  /** The run in whose preview it was selected; null on the live page. */
  runId: string | null;
  onSteps(runId: string): void;
  onClose(): void;
}): ReactElement {
  const { element } = props;
  const { data: blame, error, refetch, isPending } = useBlame(element, props.runId);
  const close = useRef<HTMLButtonElement>(null);
  // Closing returns the focus.
  useEffect(() => {
    const root = close.current?.getRootNode() as ShadowRoot;
    const before = root.activeElement as HTMLElement | null;
    close.current?.focus();
    return () => before?.focus();
  }, [element]);
  const { name } = splitPath(element.file);
  return (
    <section
      className="blame"
      aria-label="Who changed this"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      <style>{css}</style>
      <div className="row">
        <p className="of">
          <code>{`<${element.tag}>`}</code> {plainText(element.text)}{" "}
          <span className="quiet">{`${plainText(name)}:${element.line}`}</span>
        </p>
        <Button ref={close} variant="bare" icon="cross" label="Close" onClick={props.onClose} />
      </div>
      {error !== null && (
        <RefusalNotice error={error}>
          <Button variant="small" onClick={() => void refetch()}>
            Retry
          </Button>
        </RefusalNotice>
      )}
      {isPending && <Skeleton count={2} shape="line" />}
      {blame && <Answer blame={blame} onSteps={props.onSteps} />}
    </section>
  );
}

function Answer(props: { blame: Blame; onSteps(runId: string): void }): ReactElement {
  const { blame } = props;
  const { run, commit } = blame;
  const facts = [
    formatRelativeTime(blame.at, Date.now()),
    ...(run === null
      ? []
      : usageLabels(run.inputTokens + run.outputTokens, run.cost, run.currency)),
    commit === null ? "not committed yet" : `commit ${commit.slice(0, 7)}`,
  ];
  return (
    <>
      <p>
        <b>{plainText(blame.actor)}</b>{" "}
        {run === null
          ? "changed this manually"
          : commit === null
            ? "changed this in the open preview"
            : "changed this"}
      </p>
      <p className="said">{plainText(run?.instruction ?? blame.message)}</p>
      <div className="row">
        <span className="quiet">{facts.join(" · ")}</span>
        {run !== null && (
          <Button variant="small" onClick={() => props.onSteps(run.id)}>
            Show the run
          </Button>
        )}
      </div>
    </>
  );
}
