import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { useAnnounce } from "../../api/context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { formatMoney } from "../runs/labels.ts";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import {
  bodyOf,
  type BudgetForm,
  type BudgetView,
  formOf,
  missing,
  type SpanName,
  spans,
} from "./budget-form.ts";
import { Meter } from "./Meter.tsx";
import { tokenLabels } from "./number.ts";
import { SettingForm } from "./SettingForm.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { useSaveSetting, useSetting } from "./useSettings.ts";

const titles: Readonly<Record<SpanName, string>> = {
  run: "Each run",
  day: "Each day",
  month: "Each month",
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
  edited: EditedForm<BudgetForm>;
}): ReactElement {
  const { span, budget, edited } = props;
  const typical =
    span === "run" && budget.usualRunTokens !== null
      ? tokenLabels(budget.usualRunTokens)
      : "No limit";
  return (
    <fieldset className="plain">
      <legend>{titles[span]}</legend>
      <div className="settings-row wide">
        <TextInput
          {...edited.field(`${span}.tokens`)}
          label="Token limit"
          inputMode="numeric"
          placeholder={typical}
        />
        <TextInput
          {...edited.field(`${span}.cost`)}
          label={`Spending limit${budget.currency ? ` (${budget.currency})` : ""}`}
          inputMode="numeric"
          placeholder="No limit"
        />
      </div>
      {span !== "run" && <Spent budget={budget} span={span} />}
    </fieldset>
  );
}

/** The usage of each limit, as the server counts it. */
function useRefreshUsage(budget: UseQueryResult<BudgetView>) {
  const announce = useAnnounce();
  return async (): Promise<void> => {
    const { data, isError } = await budget.refetch();
    if (!data || isError) return announce("Couldn’t load usage.");
    const { day, month } = data.spent;
    announce(`${tokenLabels(day.tokens)} tokens today, ${tokenLabels(month.tokens)} this month.`);
  };
}

function BudgetEditor(props: {
  budget: BudgetView;
  refreshing: boolean;
  onRefresh(): void;
}): ReactElement {
  const { budget } = props;
  const save = useSaveSetting("budget", "Budgets saved.");
  const edited = useForm({
    before: formOf(budget),
    saving: save,
    check: missing,
    save: (form) => save.mutate(bodyOf(form)),
  });
  const moneyless = !budget.priced && spans.some((span) => edited.form[`${span}.cost`] !== "");
  return (
    <SettingForm
      edited={edited}
      label="Budgets"
      save="Save budgets"
      actions={
        <Button busy={props.refreshing} onClick={props.onRefresh}>
          Refresh usage
        </Button>
      }
    >
      {spans.map((span) => (
        <Span key={span} span={span} budget={budget} edited={edited} />
      ))}
      {moneyless && (
        <Notice kind="warn" quiet>
          The current model has no prices, so spending can’t be counted. Token limits still apply.
        </Notice>
      )}
    </SettingForm>
  );
}

/** The limits of agents. */
export function BudgetSection(): ReactElement {
  const budget = useSetting("budget");
  const refreshUsage = useRefreshUsage(budget);
  return (
    <SettingSection
      id="budgets"
      title="Budgets"
      about="Limits for the agents. At a limit a run stops cleanly, and you can continue it later. Days and months follow your time zone. Tokens that the provider reads from its cache count as a tenth."
      setting={budget}
      what="the budgets"
    >
      {(data) => (
        <BudgetEditor
          budget={data}
          refreshing={budget.isFetching}
          onRefresh={() => void refreshUsage()}
        />
      )}
    </SettingSection>
  );
}
