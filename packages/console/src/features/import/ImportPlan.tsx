import { type ReactElement, type ReactNode, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { type ImportChoices, type ImportView, useStartImport } from "./useImport.ts";

type Report = ImportView["report"];
type Project = Report["projects"][number];

export const generatorLabels: Readonly<Record<string, string>> = {
  astro: "Astro",
  eleventy: "Eleventy",
  gatsby: "Gatsby",
  hugo: "Hugo",
  jekyll: "Jekyll",
  next: "Next.js",
};

interface Row {
  file: string;
  name: string;
  media: number;
  note: string | null;
  isFixed: boolean;
}

function rowOf(project: Project, update: boolean): Row {
  const { action, changes } = project;
  const isConflict = action === "conflict" || action === "update";
  const note =
    action === "same"
      ? "already on your site"
      : isConflict
        ? `already on your site, with a different ${changes.join(", ")}`
        : null;
  return { ...project, note, isFixed: action === "same" || (isConflict && !update) };
}

function StudyRow(props: {
  row: Row;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
}): ReactElement {
  const { row, isChosen, onChoose } = props;
  return (
    <li>
      <label className="import-row">
        <input
          type="checkbox"
          checked={isChosen && !row.isFixed}
          disabled={row.isFixed}
          onChange={({ target }) => onChoose(target.checked)}
        />
        <span className="import-words">
          <b>{row.name}</b>
          <span className="muted import-file">{row.file}</span>
          {row.note && (
            <span className="muted">{row.note.charAt(0).toUpperCase() + row.note.slice(1)}</span>
          )}
        </span>
        <span className="muted import-media">
          {row.media === 0 ? "no images" : formatCount(row.media, "image")}
        </span>
      </label>
    </li>
  );
}

function StudyGroup(props: {
  title: string;
  lead?: ReactNode;
  rows: readonly Row[];
  chosen: ReadonlySet<string>;
  onChoose(files: readonly string[], isChosen: boolean): void;
}): ReactElement | null {
  const { title, lead, rows, chosen, onChoose } = props;
  const open = rows.filter(({ isFixed }) => !isFixed).map(({ file }) => file);
  if (rows.length === 0) return null;
  const areAll = open.every((file) => chosen.has(file));
  return (
    <fieldset className="import-group">
      <legend>
        {title} <span className="muted">({rows.length})</span>
      </legend>
      {lead && <p className="muted">{lead}</p>}
      {open.length > 1 && (
        <Button variant="small" onClick={() => onChoose(open, !areAll)}>
          {areAll ? "Clear all" : "Select all"}
        </Button>
      )}
      <ul className="import-list">
        {rows.map((row) => (
          <StudyRow
            key={row.file}
            row={row}
            isChosen={chosen.has(row.file)}
            onChoose={(isChosen) => onChoose([row.file], isChosen)}
          />
        ))}
      </ul>
    </fieldset>
  );
}

/** What is left out and why, and remarks on the rest. */
export function ImportNotes({ report }: { report: Report }): ReactElement {
  const { skipped, problems } = report;
  const told = problems.filter(({ level }) => level !== "note");
  return (
    <div className="import-notes">
      {skipped.length > 0 && (
        <Disclosure className="line" label={`Left out (${skipped.length})`}>
          <ul className="import-reasons">
            {skipped.map(({ file, reason }) => (
              <li key={`${file} ${reason}`}>
                <b>{file}</b> {reason}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      {told.length > 0 && (
        <Disclosure className="line" label={`Notes (${told.length})`}>
          <ul className="import-reasons">
            {told.map(({ file, line, field, message }, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <b>{[file, line].filter(Boolean).join(":")}</b> {field} {message}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  );
}

interface Options {
  update: boolean;
  withoutSamples: boolean;
  resume: boolean;
}

function OptionFields(props: {
  report: Report;
  options: Options;
  onChange(options: Options): void;
}): ReactElement {
  const { report, options, onChange } = props;
  const hasConflicts = report.projects.some(({ action }) => action === "conflict");
  const resumeName = report.resume?.name ?? report.otherResume;
  const fields: [keyof Options, string, boolean][] = [
    ["update", "Change projects that are already on your site", hasConflicts],
    [
      "resume",
      `Use the résumé${resumeName ? ` of ${resumeName}` : ""} for your site. It’s published with the import.`,
      resumeName !== null,
    ],
    ["withoutSamples", "Delete unchanged sample projects", true],
  ];
  return (
    <div className="import-options">
      {fields
        .filter(([, , isShown]) => isShown)
        .map(([name, label]) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={options[name]}
              onChange={({ target }) => onChange({ ...options, [name]: target.checked })}
            />
            <span>{label}</span>
          </label>
        ))}
    </div>
  );
}

function startChoices(
  view: ImportView,
  chosen: ReadonlySet<string>,
  options: Options,
): ImportChoices {
  return { id: view.id, files: [...chosen], draft: true, ...options };
}

function submitLabel(count: number, { resume }: Options): string {
  if (count === 0) return resume ? "Import the résumé" : "Import";
  return `Import ${formatCount(count, "project")} as ${count === 1 ? "a draft" : "drafts"}`;
}

function PlanErrors({ report }: { report: Report }): ReactElement[] {
  const errors = report.problems.filter(({ level }) => level === "error");
  return errors.map(({ file, message }) => (
    <Notice key={`${file} ${message}`} kind="warn" quiet>
      {file === "" ? `The folder ${message}.` : `${file}: ${message}`}
    </Notice>
  ));
}

/** The plan of an import as a form: what will be imported, what can be, and what is left out. */
export function ImportPlan(props: { view: ImportView; onDiscard(): void }): ReactElement {
  const { view, onDiscard } = props;
  const { report } = view;
  const start = useStartImport();
  const [options, setOptions] = useState<Options>({
    update: false,
    withoutSamples: false,
    resume: false,
  });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(report.projects.map(({ file }) => file)),
  );
  const choose = (files: readonly string[], isChosen: boolean): void => {
    const given = new Set(files);
    const others = [...chosen].filter((file) => !given.has(file));
    setChosen(new Set(isChosen ? [...others, ...files] : others));
  };
  const sure = report.projects.map((project) => rowOf(project, options.update));
  const doubtful = report.proposals.map(({ doubt, ...study }): Row => {
    return { ...study, note: doubt, isFixed: false };
  });
  const taken = [...sure, ...doubtful].filter(({ file, isFixed }) => chosen.has(file) && !isFixed);
  const isNothing = taken.length === 0 && !options.resume && !options.withoutSamples;
  return (
    <form
      className="import-plan"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(startChoices(view, chosen, options));
      }}
    >
      <PlanErrors report={report} />
      <StudyGroup title="Projects" rows={sure} chosen={chosen} onChoose={choose} />
      <StudyGroup
        title="Possible projects"
        lead="These may be something else, such as blog posts. Select the ones to import."
        rows={doubtful}
        chosen={chosen}
        onChoose={choose}
      />
      <OptionFields report={report} options={options} onChange={setOptions} />
      <ErrorState
        what="Couldn’t import the folder."
        error={start.error ?? view.error}
        note="Nothing was changed."
      />
      <div className="actions">
        <Button type="submit" variant="primary" busy={start.isPending} inert={isNothing}>
          {submitLabel(taken.length, options)}
        </Button>
        <Button onClick={onDiscard}>Choose another folder</Button>
      </div>
      <ImportNotes report={report} />
    </form>
  );
}
