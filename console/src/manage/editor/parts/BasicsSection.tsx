import type { ReactElement } from "react";

import { Button } from "../../components/Button.tsx";
import { Notice } from "../../components/Notice.tsx";
import { TextArea } from "../../components/TextArea.tsx";
import { TextInput } from "../../components/TextInput.tsx";
import { bounds } from "../check.ts";
import { slugOf } from "../slug.ts";
import { Count } from "./Count.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section-props.ts";

/** Says what a new address means for a page that is public. */
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
  const { form, errors } = props.state;
  const made = slugOf(form.name);
  return (
    <div className="address">
      <TextInput
        name="slug"
        label="Address"
        hint={
          <span className="address-hint">
            {location.host}/projects/<b>{form.slug.trim() || "…"}</b>
          </span>
        }
        error={errors.slug}
        value={form.slug}
        onChange={(value) => props.dispatch({ type: "text", field: "slug", value })}
        aside={
          form.slug !== made && made !== "" ? (
            <Button look="bare" onClick={() => props.dispatch({ type: "followName" })}>
              Make it from the name
            </Button>
          ) : null
        }
      />
      <SlugNotice {...props} />
    </div>
  );
}

/** What the project is called and what it is in a sentence. */
export function BasicsSection(props: SectionProps): ReactElement {
  const { dispatch } = props;
  const { form, errors } = props.state;
  return (
    <Section title="Basics">
      <TextInput
        name="name"
        label="Name"
        required
        error={errors.name}
        aside={<Count text={form.name} most={bounds.name} />}
        value={form.name}
        onChange={(value) => dispatch({ type: "text", field: "name", value })}
      />
      <AddressField {...props} />
      <TextArea
        name="summary"
        label="Summary"
        hint="One or two sentences, for the cards and for search engines."
        rows={2}
        error={errors.summary}
        aside={<Count text={form.summary} most={bounds.summary} />}
        value={form.summary}
        onChange={(value) => dispatch({ type: "text", field: "summary", value })}
      />
      <TextArea
        name="lede"
        label="Lede"
        hint="The first paragraph of the page, in larger letters."
        rows={3}
        error={errors.lede}
        aside={<Count text={form.lede} most={bounds.lede} />}
        value={form.lede}
        onChange={(value) => dispatch({ type: "text", field: "lede", value })}
      />
    </Section>
  );
}
