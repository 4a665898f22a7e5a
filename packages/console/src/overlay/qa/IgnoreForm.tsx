import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { type IgnoreOptions, ignoreRequests } from "../../features/qa/ignore.ts";
import { type Span, spans } from "../../features/qa/labels.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import type { QaRowProps } from "./row-props.ts";
import { useQa } from "./useQa.ts";

type About = IgnoreOptions["about"];

/** One of a few, all in sight. */
function Choice<V extends string>(props: {
  legend: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className="qa-choice">
      <legend className="quiet">{props.legend}</legend>
      {props.options.map(({ value, label }) => (
        <label key={value} className="check">
          <input
            type="radio"
            name={name}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function aboutOf({ pageUrl }: QaFinding) {
  return [
    { value: "finding", label: "This finding" },
    { value: "page", label: `This check on ${plainText(pageUrl)}` },
    { value: "everywhere", label: "This check everywhere" },
  ] as const;
}

/** Sends what is to be ignored. */
function useIgnoring({ row, onAnnounce, onChange }: QaRowProps) {
  const { api } = useQa();
  const action = useAction();
  function send(about: About, reason: string, span: Span): void {
    void action.perform("ignore", async () => {
      for (const what of ignoreRequests(row.findings, { about, reason, span }, Date.now())) {
        // oxlint-disable-next-line no-await-in-loop -- a refusal ends it, and the rest is as it was
        await api.ignore(what);
      }
      onAnnounce(
        about === "finding"
          ? `${formatCount(row.findings.length, "finding")} ignored.`
          : "Ignored.",
      );
      onChange();
    });
  }
  return { action, send };
}

/** Why, how long and how much is to be ignored; Esc goes back. */
export function IgnoreForm(props: QaRowProps & { onBack(): void }): ReactElement {
  const { findings } = props.row;
  const { action, send } = useIgnoring(props);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState("");
  const [about, setAbout] = useState<About>("finding");
  const [span, setSpan] = useState<Span>("good");
  const [first] = findings;
  useEffect(() => field.current?.focus(), []);
  function onSubmit(): void {
    const why = reason.trim();
    if (why === "") field.current?.focus();
    else send(about, why, span);
  }
  return (
    <form
      className="qa-fix"
      aria-label="Ignore"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        props.onBack();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {action.error && <RefusalNotice error={action.error} kept="It was not ignored." />}
      <label htmlFor={id} className="quiet">
        Reason
      </label>
      <input
        ref={field}
        id={id}
        required
        maxLength={300}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {findings.length === 1 && first && (
        <Choice
          legend="What is ignored"
          value={about}
          options={aboutOf(first)}
          onChange={(value) => setAbout(value)}
        />
      )}
      <Choice legend="How long" value={span} options={spans} onChange={(value) => setSpan(value)} />
      <div className="actions">
        <Button onClick={props.onBack}>Cancel</Button>
        <button type="submit" className="button primary" disabled={action.pending !== null}>
          {action.pending === null ? "Ignore" : "Ignoring…"}
        </button>
      </div>
    </form>
  );
}
