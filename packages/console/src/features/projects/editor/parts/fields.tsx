import type { ReactElement } from "react";

import { TextArea } from "../../../../ui/TextArea.tsx";
import { TextInput } from "../../../../ui/TextInput.tsx";
import { bounds } from "../validate.ts";
import { CharacterCount } from "./CharacterCount.tsx";
import { bindText, type SectionProps } from "./section-props.ts";

/** The project's name. */
export function NameField(props: SectionProps): ReactElement {
  return (
    <TextInput
      {...bindText(props, "name")}
      label="Name"
      required
      aside={<CharacterCount text={props.state.form.name} max={bounds.name} />}
    />
  );
}

const texts = {
  summary: {
    label: "Summary",
    hint: "One or two sentences, for the cards and for search engines.",
    rows: 2,
  },
  lede: { label: "Lede", hint: "The first paragraph of the page, in larger type.", rows: 3 },
} as const;

/** Summary and lede. */
export function OpeningFields(props: SectionProps): ReactElement {
  return (
    <>
      {(["summary", "lede"] as const).map((field) => (
        <TextArea
          key={field}
          {...bindText(props, field)}
          {...texts[field]}
          aside={<CharacterCount text={props.state.form[field]} max={bounds[field]} />}
        />
      ))}
    </>
  );
}

/** The Web Designer's instructions; `label` and `hint` depend on the page. */
export function BriefField(props: SectionProps & { label: string; hint: string }): ReactElement {
  return (
    <TextArea
      {...bindText(props, "brief")}
      label={props.label}
      hint={props.hint}
      rows={4}
      aside={<CharacterCount text={props.state.form.brief} max={bounds.brief} />}
    />
  );
}

/** The reel or post. */
export function ReelField(props: SectionProps & { hint: string }): ReactElement {
  return (
    <TextInput
      {...bindText(props, "reelUrl")}
      type="url"
      inputMode="url"
      label="Instagram link"
      hint={props.hint}
      placeholder="https://www.instagram.com/reel/…"
    />
  );
}
