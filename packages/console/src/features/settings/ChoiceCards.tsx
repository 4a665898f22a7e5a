import type { ReactElement, ReactNode } from "react";

import { RadioGroup } from "../../ui/RadioGroup.tsx";

interface Choice<V> {
  value: V;
  label: string;
  about: string;
  /** What it looks like. */
  preview?: ReactNode;
}

/** A choice between cards with explanations; null is the choice to leave it open. */
export function ChoiceCards<V extends string | null>(props: {
  legend: string;
  choices: readonly Choice<V>[];
  chosen: V;
  /** An extra class, for cards that show more than text. */
  className?: string;
  onChoose(value: V): void;
}): ReactElement {
  const { legend, choices, chosen, className = "", onChoose } = props;
  return (
    <RadioGroup
      legend={legend}
      className={`places ${className}`}
      optionClassName="place"
      options={choices}
      chosen={chosen}
      onChoose={onChoose}
      description={({ about }) => about}
      after={({ preview }) => preview}
    >
      {({ label }) => <span className="place-name">{label}</span>}
    </RadioGroup>
  );
}
