import { type ReactElement, useDeferredValue, useId, useState } from "react";

import type { ProjectList } from "../../api/types.ts";
import { useListPage } from "../../api/useGet.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { QueryError } from "../errors/QueryError.tsx";
import type { ChosenProject } from "./new-task-form.ts";

/** How many are offered at once; searching finds the others. */
const offered = 8;

function Offers(props: {
  q: string;
  chosen: ChosenProject | null;
  onChosen(project: ChosenProject): void;
}): ReactElement {
  const { q, chosen } = props;
  const name = useId();
  const query = { q, sort: "name", page: 1, perPage: offered };
  const list = useListPage<ProjectList>(["projects", "list"], "/api/adminprojects/list", query);
  if (list.isPending) return <Skeleton count={2} shape="row" label="Loading projects…" />;
  if (list.isLoadingError) {
    return <QueryError what="the projects" query={list} />;
  }
  const { items, total } = list.data;
  if (items.length === 0) {
    return <p className="hint">{q === "" ? "No projects yet." : `No project matches “${q}”.`}</p>;
  }
  return (
    <>
      <div className="task-offers">
        {items.map((project) => (
          <label key={project.id}>
            <input
              type="radio"
              name={name}
              checked={project.id === chosen?.id}
              onChange={() => props.onChosen({ id: project.id, name: project.name })}
            />
            <span>{project.name}</span>
          </label>
        ))}
      </div>
      {total > items.length && (
        <p className="hint">
          {items.length} of {total} shown. Search to find others.
        </p>
      )}
    </>
  );
}

/** Selects a task's project by searching for its name. */
export function ProjectPicker(props: {
  chosen: ChosenProject | null;
  error: string | null;
  onChosen(project: ChosenProject): void;
}): ReactElement {
  const { chosen, error, onChosen } = props;
  const [q, setQ] = useState("");
  const search = useDeferredValue(q.trim());
  const id = useId();
  return (
    <fieldset className="task-project" {...(error && { "aria-describedby": id })}>
      <legend>Project</legend>
      {chosen && (
        <p className="hint">
          Chosen: <b>{chosen.name}</b>
        </p>
      )}
      <TextInput
        type="search"
        label="Search projects"
        visuallyHiddenLabel
        placeholder="Search projects"
        value={q}
        onChange={setQ}
      />
      <Offers q={search} chosen={chosen} onChosen={onChosen} />
      {error && (
        <p className="field-error" id={id} tabIndex={-1} aria-invalid="true">
          {error}
        </p>
      )}
    </fieldset>
  );
}
