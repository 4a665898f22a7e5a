import type { ReactElement } from "react";

import { TextArea } from "../../../../ui/TextArea.tsx";
import { TextInput } from "../../../../ui/TextInput.tsx";
import { bounds } from "../validate.ts";
import { CharacterCount } from "./CharacterCount.tsx";
import type { SectionProps } from "./section-props.ts";

/** What the project is called. */
export function NameField({ state, dispatch }: SectionProps): ReactElement {
  const { name } = state.form;
  return (
    <TextInput
      name="name"
      label="Name"
      required
      error={state.errors.name}
      aside={<CharacterCount text={name} most={bounds.name} />}
      value={name}
      onChange={(value) => dispatch({ type: "text", field: "name", value })}
    />
  );
}

const texts = {
  summary: {
    label: "Summary",
    hint: "One or two sentences, for the cards and for search engines.",
    rows: 2,
  },
  lede: { label: "Lede", hint: "The first paragraph of the page, in larger letters.", rows: 3 },
} as const;

/** Summary and lede. */
export function OpeningFields({ state, dispatch }: SectionProps): ReactElement {
  const { form, errors } = state;
  return (
    <>
      {(["summary", "lede"] as const).map((field) => (
        <TextArea
          key={field}
          name={field}
          {...texts[field]}
          error={errors[field]}
          aside={<CharacterCount text={form[field]} most={bounds[field]} />}
          value={form[field]}
          onChange={(value) => dispatch({ type: "text", field, value })}
        />
      ))}
    </>
  );
}

/** What the Web Designer is told; `label` and `hint` say it in the words of the page. */
export function BriefField(props: SectionProps & { label: string; hint: string }): ReactElement {
  const { brief } = props.state.form;
  return (
    <TextArea
      name="brief"
      label={props.label}
      hint={props.hint}
      rows={4}
      error={props.state.errors.brief}
      aside={<CharacterCount text={brief} most={bounds.brief} />}
      value={brief}
      onChange={(value) => props.dispatch({ type: "text", field: "brief", value })}
    />
  );
}

/** The reel or post. */
export function ReelField(props: SectionProps & { hint: string }): ReactElement {
  return (
    <TextInput
      name="reelUrl"
      type="url"
      inputMode="url"
      label="Instagram link"
      hint={props.hint}
      placeholder="https://www.instagram.com/reel/…"
      error={props.state.errors.reelUrl}
      value={props.state.form.reelUrl}
      onChange={(value) => props.dispatch({ type: "text", field: "reelUrl", value })}
    />
  );
}
