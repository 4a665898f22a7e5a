import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Notice } from "../../../../ui/Notice.tsx";
import { TextInput } from "../../../../ui/TextInput.tsx";
import { slugOf } from "../slug.ts";
import { AudienceField } from "./AudienceField.tsx";
import { NameField, OpeningFields } from "./fields.tsx";
import { bindText, type SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

/** Explains what a new address means for a public project. */
function SlugNotice({ state }: SectionProps): ReactElement | null {
  const { base, form } = state;
  const slug = form.slug.trim();
  if (base.status !== "published" || slug === base.slug || slug === "") return null;
  return (
    <Notice kind="warn">
      <p>
        The page is published. After saving, <code>/projects/{base.slug}</code> redirects to the new
        address.
      </p>
    </Notice>
  );
}

function AddressField(props: SectionProps): ReactElement {
  const { form } = props.state;
  const made = slugOf(form.name);
  return (
    <div className="address">
      <TextInput
        {...bindText(props, "slug")}
        label="Address"
        hint={
          <span className="address-hint">
            {location.host}/projects/<b>{form.slug.trim() || "…"}</b>
          </span>
        }
        aside={
          form.slug !== made && made !== "" ? (
            <Button variant="bare" onClick={() => props.dispatch({ type: "followName" })}>
              Generate from the name
            </Button>
          ) : null
        }
      />
      <SlugNotice {...props} />
    </div>
  );
}

/** The project's name and summary. */
export function BasicsSection(props: SectionProps): ReactElement {
  return (
    <Section title="Basics">
      <NameField {...props} />
      <AddressField {...props} />
      <AudienceField {...props} />
      <OpeningFields {...props} />
    </Section>
  );
}
