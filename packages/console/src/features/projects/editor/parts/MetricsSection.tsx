import type { ReactElement } from "react";

import { TextArea } from "../../../../ui/TextArea.tsx";
import type { Metric } from "../form.ts";
import { newKey } from "../keyed-list.ts";
import { bounds } from "../validate.ts";
import { AddItem, ItemActions, ItemList, type Items, useItems } from "./ItemList.tsx";
import type { SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

const parts = [
  { part: "value", label: "Value", placeholder: "e.g. 92%" },
  { part: "label", label: "Label", placeholder: "e.g. Receipts matched" },
  { part: "note", label: "Note", placeholder: "e.g. median of 9 closes" },
] as const;

function MetricCard(
  props: SectionProps & { of: Items<"metrics">; metric: Metric; index: number },
): ReactElement {
  const { of: items, metric, index, dispatch } = props;
  return (
    <li data-item={metric.key} className="item" aria-label={`Card ${index + 1}`}>
      <div className="metric-fields">
        {parts.map(({ part, label, placeholder }) => (
          <TextArea
            key={part}
            line
            name={`metrics.${metric.key}.${part}`}
            label={label}
            placeholder={placeholder}
            error={props.state.errors[`metrics.${metric.key}.${part}`]}
            value={metric[part]}
            onChange={(value) =>
              dispatch({ type: "edit", list: "metrics", key: metric.key, part: { [part]: value } })
            }
          />
        ))}
      </div>
      <ItemActions of={items} itemKey={metric.key} index={index} />
    </li>
  );
}

/** The numbers that the page shows in large type. */
export function MetricsSection(props: SectionProps): ReactElement {
  const items = useItems(props, "metrics", "Card");
  function add(): void {
    const card = { key: newKey(), value: "", label: "", note: "" };
    props.dispatch({ type: "add", list: "metrics", items: [card] });
    items.focusOn(card.key);
  }
  return (
    <Section
      title="Metrics"
      hint="Results in numbers. Say in the note how each was measured, and leave out any number that you can’t back up."
      error={props.state.errors.metrics}
    >
      <ItemList of={items} label="Metric cards">
        {(metric, index) => (
          <MetricCard {...props} key={metric.key} of={items} metric={metric} index={index} />
        )}
      </ItemList>
      <AddItem of={items} max={bounds.metrics} onAdd={add}>
        Add a card
      </AddItem>
    </Section>
  );
}
