import type { ReactElement } from "react";

import { Select } from "../../../../ui/Select.tsx";
import { audienceHints, audiences } from "../../audience-labels.ts";
import type { SectionProps } from "./section-props.ts";

/** The project's audience, with a link to its members. */
export function AudienceField({ state, dispatch }: SectionProps): ReactElement {
  const { base, form, errors } = state;
  const saved = base.id > 0 && base.audience === form.audience && form.audience !== "everyone";
  return (
    <div className="audience">
      <Select
        label="Who can see it"
        name="audience"
        hint={audienceHints[form.audience]}
        options={audiences}
        error={errors.audience}
        value={form.audience}
        onChange={(audience) => dispatch({ type: "fill", values: { audience } })}
      />
      {saved && (
        <p>
          <a href={`/admin/members?project=${base.id}`}>
            {form.audience === "invited"
              ? "Invite people and see who opened it"
              : "See who opened it"}
          </a>
        </p>
      )}
    </div>
  );
}
