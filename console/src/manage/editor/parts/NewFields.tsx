import type { ReactElement } from "react";

import { TextArea } from "../../components/TextArea.tsx";
import { TextInput } from "../../components/TextInput.tsx";
import { bounds } from "../check.ts";
import { ChipInput } from "./ChipInput.tsx";
import { Count } from "./Count.tsx";
import { useCategories } from "./FactsSection.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section-props.ts";

/** The texts of a new project. */
export function NewFields({ state, dispatch }: SectionProps): ReactElement {
  const { form, errors } = state;
  const categories = useCategories();
  return (
    <Section title="What it is">
      <TextInput
        name="name"
        label="Name"
        required
        error={errors.name}
        aside={<Count text={form.name} most={bounds.name} />}
        value={form.name}
        onChange={(value) => dispatch({ type: "text", field: "name", value })}
      />
      <ChipInput
        label="Category"
        hint="One or several. Comma or Enter adds one."
        error={errors.categories}
        words={form.categories}
        suggestions={categories}
        onWords={(words) => dispatch({ type: "words", field: "categories", words })}
      />
      <TextArea
        name="body"
        label="Description draft"
        hint="Whatever you know already: the problem, whose it was, what came of it."
        rows={6}
        error={errors.body ?? errors.lede}
        aside={<Count text={form.body} most={bounds.body} />}
        value={form.body}
        onChange={(value) => dispatch({ type: "text", field: "body", value })}
      />
      <TextArea
        name="brief"
        label="Prompt for the Web Designer"
        hint="What the page should stress. Private: kept with the project, never on the site."
        rows={4}
        error={errors.brief}
        aside={<Count text={form.brief} most={bounds.brief} />}
        value={form.brief}
        onChange={(value) => dispatch({ type: "text", field: "brief", value })}
      />
      <TextInput
        name="reelUrl"
        type="url"
        inputMode="url"
        label="Instagram link"
        hint="The address of a reel or a post, if there is one."
        placeholder="https://www.instagram.com/reel/…"
        error={errors.reelUrl}
        value={form.reelUrl}
        onChange={(value) => dispatch({ type: "text", field: "reelUrl", value })}
      />
    </Section>
  );
}
