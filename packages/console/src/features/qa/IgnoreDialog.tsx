import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { useForm } from "../forms/useForm.ts";
import type { IgnoreOptions } from "./ignore.ts";
import { spans } from "./labels.ts";
import { useFindingActions } from "./useFindingActions.ts";

const empty: IgnoreOptions = { about: "finding", reason: "", span: "good" };

/** Maximum characters of a reason, as on the server. */
const maxReasonLength = 300;

interface Choice {
  value: IgnoreOptions["about"];
  label: string;
  more: string;
}

/** What can be ignored together with a finding; a page's findings are those that are only there. */
function aboutOf({ check, pageUrl, pageCount }: QaFinding): Choice[] {
  const page = plainText(pageUrl);
  const onPage: Choice = {
    value: "page",
    label: "This check on this page",
    more: `${check} on ${page}`,
  };
  return [
    { value: "finding", label: "This finding", more: "" },
    ...(pageCount === 1 ? [onPage] : []),
    { value: "everywhere", label: "This check everywhere", more: check },
  ];
}

function About(props: {
  finding: QaFinding;
  value: IgnoreOptions["about"];
  onChange(value: IgnoreOptions["about"]): void;
}): ReactElement {
  return (
    <fieldset className="qa-choices">
      <legend>What to ignore</legend>
      {aboutOf(props.finding).map(({ value, label, more }) => (
        <label key={value}>
          <input
            type="radio"
            name="about"
            value={value}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          <span>
            {label} {more !== "" && <span className="muted">{more}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function lacks({ reason }: IgnoreOptions): Record<string, string> {
  if (reason.trim() === "") return { reason: "enter a short reason" };
  const over = reason.trim().length > maxReasonLength;
  return over ? { reason: `is limited to ${maxReasonLength} characters` } : {};
}

/** Asks for the reason, the duration, and the scope of ignoring. */
export function IgnoreDialog(props: {
  findings: readonly QaFinding[];
  onClose(): void;
}): ReactElement {
  const { findings, onClose } = props;
  const { ignore } = useFindingActions();
  const [only] = findings;
  const edited = useForm<IgnoreOptions>({
    before: empty,
    saving: ignore,
    check: lacks,
    save: (how) =>
      ignore.mutate(
        { findings, how: { ...how, reason: how.reason.trim() } },
        { onSuccess: onClose },
      ),
  });
  const { form, field, set } = edited;
  return (
    <FormDialog
      title={
        findings.length === 1
          ? "Ignore this finding"
          : `Ignore ${formatCount(findings.length, "finding")}`
      }
      edited={edited}
      yes="Ignore"
      refused="Couldn’t ignore it."
      onClose={onClose}
    >
      {findings.length === 1 && only && (
        <>
          <p className="muted" dir="auto">
            {plainText(only.message)}
          </p>
          <About finding={only} value={form.about} onChange={(about) => set({ about })} />
        </>
      )}
      <TextArea
        label="Reason"
        {...field("reason")}
        rows={2}
        hint="A note for later, such as “known, replaced in March”."
      />
      <div className="qa-choice">
        <p aria-hidden="true">How long</p>
        <SegmentedControl
          legend="How long"
          value={form.span}
          options={spans}
          onChange={(span) => set({ span })}
        />
      </div>
    </FormDialog>
  );
}
