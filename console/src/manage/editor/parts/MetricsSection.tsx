import { type ReactElement, useRef } from "react";

import { Button } from "../../components/Button.tsx";
import { TextInput } from "../../components/TextInput.tsx";
import { useAnnounce } from "../../context.tsx";
import { bounds } from "../check.ts";
import type { Metric } from "../form.ts";
import { newKey } from "../keyed-list.ts";
import { MoveButtons } from "./MoveButtons.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section-props.ts";
import { controlOf, useFocusNext } from "./useFocusNext.ts";

const parts = [
  { part: "value", label: "Value", placeholder: "e.g. 92 %" },
  { part: "label", label: "Label", placeholder: "e.g. Receipts matched" },
  { part: "note", label: "Note", placeholder: "e.g. median of 9 closes" },
] as const;

function MetricCard(
  props: SectionProps & { metric: Metric; index: number; onRemove(): void },
): ReactElement {
  const { metric, index, dispatch } = props;
  const noun = `card ${index + 1}`;
  return (
    <li data-item={metric.key} className="item" aria-label={`Card ${index + 1}`}>
      <div className="metric-fields">
        {parts.map(({ part, label, placeholder }) => (
          <TextInput
            key={part}
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
      <div className="item-actions">
        <MoveButtons
          noun={noun}
          index={index}
          count={props.state.form.metrics.length}
          onMove={(to) => dispatch({ type: "move", list: "metrics", key: metric.key, to })}
        />
        <Button icon="trash" label={`Remove ${noun}`} onClick={props.onRemove} />
      </div>
    </li>
  );
}

/** The numbers that the page shows large. */
export function MetricsSection(props: SectionProps): ReactElement {
  const { metrics } = props.state.form;
  const announce = useAnnounce();
  const focusNext = useFocusNext();
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);

  function add(): void {
    const key = newKey();
    props.dispatch({
      type: "add",
      list: "metrics",
      items: [{ key, value: "", label: "", note: "" }],
    });
    focusNext(() => controlOf(list.current, key));
  }
  function remove(key: string, index: number): void {
    const next = metrics[index + 1] ?? metrics[index - 1];
    props.dispatch({ type: "remove", list: "metrics", key });
    announce(`Card ${index + 1} removed.`);
    focusNext(() => controlOf(list.current, next?.key) ?? adder.current);
  }
  return (
    <Section
      title="Metrics"
      hint="What came of it, in numbers, with how it was measured in the note. None is better than a made-up one."
      error={props.state.errors.metrics}
    >
      {metrics.length > 0 && (
        <ol ref={list} className="items" aria-label="Metric cards">
          {metrics.map((metric, index) => (
            <MetricCard
              key={metric.key}
              {...props}
              metric={metric}
              index={index}
              onRemove={() => remove(metric.key, index)}
            />
          ))}
        </ol>
      )}
      <div className="actions">
        <Button ref={adder} icon="add" disabled={metrics.length >= bounds.metrics} onClick={add}>
          Add a card
        </Button>
        {metrics.length >= bounds.metrics && (
          <span className="hint">There is room for {bounds.metrics}.</span>
        )}
      </div>
    </Section>
  );
}
