import { type ReactElement, useRef } from "react";

import { Button } from "../../components/Button.tsx";
import { TextInput } from "../../components/TextInput.tsx";
import { useAnnounce } from "../../context.tsx";
import { bounds } from "../check.ts";
import type { SkillGroup } from "../form.ts";
import { newKey } from "../keyed-list.ts";
import { ChipInput } from "./ChipInput.tsx";
import { MoveButtons } from "./MoveButtons.tsx";
import { Section } from "./Section.tsx";
import type { SectionProps } from "./section-props.ts";
import { controlOf, useFocusNext } from "./useFocusNext.ts";

function Group(
  props: SectionProps & { skill: SkillGroup; index: number; onRemove(): void },
): ReactElement {
  const { skill, index, dispatch } = props;
  const { errors, form } = props.state;
  const name = skill.group.trim();
  const noun = name === "" ? `group ${index + 1}` : `group ${name}`;
  const at = `skills.${skill.key}`;
  return (
    <li data-item={skill.key} className="item" aria-label={`Group ${index + 1}`}>
      <div className="skill-fields">
        <TextInput
          name={`${at}.group`}
          label="Group"
          placeholder="e.g. Design"
          error={errors[`${at}.group`]}
          value={skill.group}
          onChange={(group) =>
            dispatch({ type: "edit", list: "skills", key: skill.key, part: { group } })
          }
        />
        <ChipInput
          label={name === "" ? "Skills" : `Skills in ${name}`}
          error={errors[`${at}.items`]}
          words={skill.items}
          onWords={(items) =>
            dispatch({ type: "edit", list: "skills", key: skill.key, part: { items } })
          }
        />
      </div>
      <div className="item-actions">
        <MoveButtons
          noun={noun}
          index={index}
          count={form.skills.length}
          onMove={(to) => dispatch({ type: "move", list: "skills", key: skill.key, to })}
        />
        <Button icon="trash" label={`Remove ${noun}`} onClick={props.onRemove} />
      </div>
    </li>
  );
}

/** What the project shows that its owner can do, in groups. */
export function SkillsSection(props: SectionProps): ReactElement {
  const { skills } = props.state.form;
  const announce = useAnnounce();
  const focusNext = useFocusNext();
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);

  function add(): void {
    const key = newKey();
    props.dispatch({ type: "add", list: "skills", items: [{ key, group: "", items: [] }] });
    focusNext(() => controlOf(list.current, key));
  }
  function remove(key: string, index: number): void {
    const next = skills[index + 1] ?? skills[index - 1];
    props.dispatch({ type: "remove", list: "skills", key });
    announce(`Group ${index + 1} removed.`);
    focusNext(() => controlOf(list.current, next?.key) ?? adder.current);
  }
  return (
    <Section title="Skills" error={props.state.errors.skills}>
      {skills.length > 0 && (
        <ol ref={list} className="items" aria-label="Skill groups">
          {skills.map((skill, index) => (
            <Group
              key={skill.key}
              {...props}
              skill={skill}
              index={index}
              onRemove={() => remove(skill.key, index)}
            />
          ))}
        </ol>
      )}
      <div className="actions">
        <Button ref={adder} icon="add" disabled={skills.length >= bounds.groups} onClick={add}>
          Add a group
        </Button>
      </div>
    </Section>
  );
}
