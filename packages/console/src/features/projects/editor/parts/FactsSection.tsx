import type { ReactElement } from "react";

import { TextInput } from "../../../../ui/TextInput.tsx";
import { useProjectFilters } from "../../useProjects.ts";
import { ChipInput } from "./ChipInput.tsx";
import { bindText, bindWords, type SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

/** Categories of other projects, most used first; empty while unknown. */
export function useCategories(): readonly string[] {
  const filters = useProjectFilters();
  return (filters.data?.categories ?? [])
    .toSorted((one, other) => other.count - one.count)
    .map(({ name }) => name);
}

const facts = [
  { field: "kind", label: "Kind", placeholder: "e.g. Web app" },
  { field: "period", label: "Period", placeholder: "e.g. 2024–2025" },
  { field: "role", label: "Role", placeholder: "e.g. Lead product designer" },
] as const;

/** The kind of work, the period, the role, and the stack. */
export function FactsSection(props: SectionProps): ReactElement {
  const categories = useCategories();
  return (
    <Section title="Facts">
      <div className="facts">
        {facts.map(({ field, label, placeholder }) => (
          <TextInput
            key={field}
            {...bindText(props, field)}
            label={label}
            placeholder={placeholder}
          />
        ))}
      </div>
      <ChipInput
        {...bindWords(props, "categories")}
        label="Categories"
        hint="Each category has its own page. Press comma or Enter to add one."
        suggestions={categories}
      />
      <ChipInput
        {...bindWords(props, "stack")}
        label="Stack"
        hint="What it was made with. Press comma or Enter to add one, or paste a list."
      />
    </Section>
  );
}
