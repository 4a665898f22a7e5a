import type { ReactElement } from "react";

import { QueryBody } from "../queries/QueryBody.tsx";
import type { Draft } from "./draft.ts";
import { type PageForm, usePageForm } from "./usePages.ts";
import { labelOf } from "./values.ts";
import { ValueField } from "./ValueField.tsx";

export interface FieldsProps {
  file: string;
  draft: Draft;
  errors: Readonly<Record<string, string>>;
  /** The fields to show; by default all. */
  only?: (key: string) => boolean;
  onChange(form: PageForm, key: string, value: unknown): void;
}

/** The errors in one file's fields, by path. */
function errorsOf(file: string, errors: FieldsProps["errors"]): Record<string, string> {
  const own = Object.entries(errors).filter(([name]) => name.startsWith(`${file}:`));
  return Object.fromEntries(own.map(([name, words]) => [name.slice(file.length + 1), words]));
}

/** The fields of one content file. */
export function PageFields(props: FieldsProps): ReactElement {
  const { file, draft, errors, only = () => true, onChange } = props;
  const form = usePageForm(file);
  const own = errorsOf(file, errors);
  return (
    <QueryBody
      query={form}
      what="the page"
      skeleton={{ count: 3, shape: "row", label: "Loading the page…" }}
    >
      {(data) => (
        <div className="pages-fields">
          {Object.entries({ ...data.content, ...draft[file]?.values })
            .filter(([key]) => only(key))
            .map(([key, value]) => (
              <ValueField
                key={key}
                label={labelOf(key)}
                path={key}
                value={value}
                sample={data.sample?.[key]}
                errors={own}
                onChange={(next) => onChange(data, key, next)}
              />
            ))}
        </div>
      )}
    </QueryBody>
  );
}
