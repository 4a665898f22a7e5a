import type { ReactElement } from "react";

import { TextArea } from "../../../../ui/TextArea.tsx";
import { bounds } from "../validate.ts";
import { CharacterCount } from "./CharacterCount.tsx";
import { BriefField, ReelField } from "./fields.tsx";
import { bindText, type SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

const help: readonly [written: string, gives: string][] = [
  ["## Problem", "a heading, which starts a new section"],
  ["A blank line", "a new paragraph"],
  ["- first", "a list; 1. first for a numbered one"],
  ["**important**", "bold"],
  ["*said so*", "italic"],
  ["[text](https://…)", "a link"],
  ["> words", "a quotation"],
  ["`code`", "code"],
];

function FormattingHelp(): ReactElement {
  return (
    <details className="formatting">
      <summary>Formatting</summary>
      <dl>
        {help.map(([written, gives]) => (
          <div key={written}>
            <dt>
              <code>{written}</code>
            </dt>
            <dd>{gives}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The page's text. */
export function BodySection(props: SectionProps): ReactElement {
  return (
    <Section title="Text">
      <TextArea
        {...bindText(props, "body")}
        label="Text of the page (Markdown)"
        rows={12}
        aside={<CharacterCount text={props.state.form.body} max={bounds.body} />}
      />
      <FormattingHelp />
    </Section>
  );
}

/** The reel, as a link. */
export function ReelSection(props: SectionProps): ReactElement {
  return (
    <Section title="Instagram">
      <ReelField {...props} hint="The address of a reel or post. The page links to it." />
    </Section>
  );
}

/** Instructions for the Web Designer; never on the site. */
export function BriefSection(props: SectionProps): ReactElement {
  return (
    <Section title="For the Web Designer">
      <BriefField
        {...props}
        label="Brief"
        hint="What the Web Designer should know and aim for. Private: never on the site."
      />
    </Section>
  );
}
