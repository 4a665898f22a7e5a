import type { ReactElement } from "react";

import { TextInput } from "../../../../ui/TextInput.tsx";
import type { SkillGroup } from "../form.ts";
import { newKey } from "../keyed-list.ts";
import { bounds } from "../validate.ts";
import { ChipInput } from "./ChipInput.tsx";
import { AddItem, ItemActions, ItemList, type Items, useItems } from "./ItemList.tsx";
import type { SectionProps } from "./section-props.ts";
import { Section } from "./Section.tsx";

function Group(
  props: SectionProps & { of: Items<"skills">; skill: SkillGroup; index: number },
): ReactElement {
  const { of: items, skill, index, dispatch } = props;
  const { errors } = props.state;
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
          name={`${at}.items`}
          label={name === "" ? "Skills" : `Skills in ${name}`}
          error={errors[`${at}.items`]}
          values={skill.items}
          onValues={(words) =>
            dispatch({ type: "edit", list: "skills", key: skill.key, part: { items: words } })
          }
        />
      </div>
      <ItemActions of={items} itemKey={skill.key} index={index} noun={noun} />
    </li>
  );
}

/** Skills in groups. */
export function SkillsSection(props: SectionProps): ReactElement {
  const items = useItems(props, "skills", "Group");
  function add(): void {
    const group = { key: newKey(), group: "", items: [] };
    props.dispatch({ type: "add", list: "skills", items: [group] });
    items.focusOn(group.key);
  }
  return (
    <Section title="Skills" error={props.state.errors.skills}>
      <ItemList of={items} label="Skill groups">
        {(skill, index) => (
          <Group {...props} key={skill.key} of={items} skill={skill} index={index} />
        )}
      </ItemList>
      <AddItem of={items} max={bounds.groups} onAdd={add}>
        Add a group
      </AddItem>
    </Section>
  );
}
