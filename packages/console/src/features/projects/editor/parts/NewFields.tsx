import type { ReactElement } from "react";

import { TextArea } from "../../../../ui/TextArea.tsx";
import { bounds } from "../validate.ts";
import { CharacterCount } from "./CharacterCount.tsx";
import { ChipInput } from "./ChipInput.tsx";
import { useCategories } from "./FactsSection.tsx";
import { BriefField, NameField, OpeningFields, ReelField } from "./fields.tsx";
import { bindText, bindWords, type SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

/** The fields of a new project; summary and lede only if they have content. */
export function NewFields(props: SectionProps): ReactElement {
  const { form, errors } = props.state;
  const categories = useCategories();
  const isOpened = form.summary !== "" || form.lede !== "";
  return (
    <Section title="What it is">
      <NameField {...props} />
      <ChipInput
        {...bindWords(props, "categories")}
        label="Category"
        hint="Press comma or Enter to add one."
        suggestions={categories}
      />
      {isOpened && <OpeningFields {...props} />}
      <TextArea
        {...bindText(props, "body")}
        label={isOpened ? "Text of the page (Markdown)" : "Description draft"}
        hint="What you know so far: the problem, the client, the result."
        rows={6}
        error={errors.body ?? (isOpened ? undefined : errors.lede)}
        aside={<CharacterCount text={form.body} max={bounds.body} />}
      />
      <BriefField
        {...props}
        label="Prompt for the Web Designer"
        hint="What the page should emphasize. Private: kept with the project, never on the site."
      />
      <ReelField {...props} hint="The address of a reel or post, if there is one." />
    </Section>
  );
}
