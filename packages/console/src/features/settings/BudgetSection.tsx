import type { ReactElement } from "react";

import { useAnnounce } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { SaveState } from "../../ui/SaveState.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { formatMoney } from "../runs/labels.ts";
import { QueryError } from "../shared/QueryError.tsx";
import { useForm } from "../shared/useForm.ts";
import { bodyOf, type BudgetView, formOf, missing, type SpanName, spans } from "./budget-form.ts";
import { Meter } from "./Meter.tsx";
import { tokenLabels } from "./number.ts";
import { SettingsSection } from "./SettingsSection.tsx";
import { useBudget, useSaveBudget } from "./useSettings.ts";

const titles: Readonly<Record<SpanName, string>> = {
  run: "One run",
  day: "A day",
  month: "A month",
};

function Spent({ budget, span }: { budget: BudgetView; span: "day" | "month" }): ReactElement {
  const { tokens, cost } = budget.spent[span];
  const ceiling = budget[span];
  const name = span === "day" ? "today" : "this month";
  return (
    <div className="spent">
      <Meter
        label={`Tokens spent ${name}`}
        value={tokens}
        ceiling={ceiling.tokens}
        number={tokenLabels}
        words={(amount) => `${amount} tokens`}
      />
      {(cost !== null || ceiling.cost !== null) && (
        <Meter
          label={`Money spent ${name}`}
          value={cost ?? 0}
          ceiling={ceiling.cost}
          number={(amount) => formatMoney(amount, budget.currency)}
          words={(amount) => amount}
        />
      )}
    </div>
  );
}

function Span(props: {
  span: SpanName;
  budget: BudgetView;
  edited: ReturnType<typeof useForm<Readonly<Record<string, string>>>>;
}): ReactElement {
  const { span, budget, edited } = props;
  const field = (unit: "tokens" | "cost", label: string, placeholder: string) => {
    const name = `${span}.${unit}`;
    return (
      <TextInput
        label={label}
        name={name}
        inputMode="numeric"
        placeholder={placeholder}
        value={edited.form[name] ?? ""}
        error={edited.error(name)}
        onChange={(value) => edited.change({ ...edited.form, [name]: value })}
      />
    );
  };
  const usual =
    span === "run" && budget.usualRunTokens !== null
      ? tokenLabels(budget.usualRunTokens)
      : "No ceiling";
  return (
    <fieldset className="plain">
      <legend>{titles[span]}</legend>
      <div className="settings-row wide">
        {field("tokens", "Tokens at most", usual)}
        {field(
          "cost",
          `Money at most${budget.currency ? ` (${budget.currency})` : ""}`,
          "No ceiling",
        )}
      </div>
      {span !== "run" && <Spent budget={budget} span={span} />}
    </fieldset>
  );
}

/** What of the ceilings is used by now, as the server counts it. */
function useLook(budget: ReturnType<typeof useBudget>) {
  const announce = useAnnounce();
  return async (): Promise<void> => {
    const { data, isError } = await budget.refetch();
    if (!data || isError) return announce("What is used can’t be read just now.");
    const { day, month } = data.spent;
    announce(`${tokenLabels(day.tokens)} tokens today, ${tokenLabels(month.tokens)} this month.`);
  };
}

function BudgetEditor(props: {
  budget: BudgetView;
  looking: boolean;
  onLook(): void;
}): ReactElement {
  const { budget } = props;
  const save = useSaveBudget();
  const edited = useForm({
    before: formOf(budget),
    saving: save,
    check: missing,
    save: (form) => save.mutate(bodyOf(form)),
  });
  const moneyless = !budget.priced && spans.some((span) => edited.form[`${span}.cost`] !== "");
  return (
    <form ref={edited.element} noValidate onSubmit={edited.submit} aria-label="Budgets">
      {spans.map((span) => (
        <Span key={span} span={span} budget={budget} edited={edited} />
      ))}
      {moneyless && (
        <Notice kind="warn" quiet>
          No prices are given for the model in use, so money can’t be counted. Ceilings in tokens
          hold.
        </Notice>
      )}
      {edited.refusal && (
        <Notice kind="error" title="It was not saved.">
          {edited.refusal.message}
        </Notice>
      )}
      <div className="actions">
        <Button look="primary" type="submit" busy={save.isPending}>
          Save budgets
        </Button>
        <Button busy={props.looking} onClick={props.onLook}>
          See what is used
        </Button>
        <SaveState status={edited.status} />
      </div>
    </form>
  );
}

/** What the agents may take. */
export function BudgetSection(): ReactElement {
  const budget = useBudget();
  const look = useLook(budget);
  return (
    <SettingsSection
      id="budgets"
      title="Budgets"
      about="What the agents may take. At a ceiling a run stops clean and can be continued; days and months are those of your time zone. Tokens that the provider reads from its cache count a tenth."
    >
      {budget.isPending && <Skeleton count={3} shape="row" label="The budgets are being read" />}
      {budget.isError && !budget.data && <QueryError what="The budgets" query={budget} />}
      {budget.data && (
        <BudgetEditor budget={budget.data} looking={budget.isFetching} onLook={() => void look()} />
      )}
    </SettingsSection>
  );
}
