import "./import.css";

import type { ReactElement } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { FileButton } from "../../ui/FileButton.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { type Address, useAddress } from "../../ui/search-params.ts";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { generatorLabels, ImportNotes, ImportPlan } from "./ImportPlan.tsx";
import {
  type ImportView,
  type Sending,
  useDiscardImport,
  useImportView,
  useSendFolder,
} from "./useImport.ts";

const steps: Readonly<Record<Sending["step"], string>> = {
  packing: "Reading the folder…",
  sending: "Uploading…",
  working: "Looking for projects…",
};

function Progress(props: { label: string; fraction: number | null; children?: ReactElement }) {
  const { label, fraction, children } = props;
  return (
    <div className="import-progress" role="status">
      <p>{label}</p>
      <progress
        className="upload-progress"
        aria-label={label}
        max={1}
        {...(fraction !== null && { value: fraction })}
      />
      {children}
    </div>
  );
}

/** Lets the owner choose and send a folder, an archive, or a résumé. */
function ChooseFolder({ address }: { address: Address }): ReactElement {
  const { change, sending, cancel } = useSendFolder();
  useUnloadGuard(sending !== null);
  const isCancelled = change.error?.name === "AbortError";
  const open = (view: ImportView): void => address.change({ id: view.id });
  if (sending !== null) {
    return (
      <Progress label={steps[sending.step]} fraction={sending.fraction}>
        <Button onClick={cancel}>Cancel upload</Button>
      </Progress>
    );
  }
  return (
    <div className="import-choose">
      <p>
        Choose the folder of your site or your case studies. You’ll see what would be imported, and
        choose, before anything changes. New projects are imported as drafts.
      </p>
      <ErrorState
        what="Couldn’t read the folder."
        error={isCancelled ? null : change.error}
        note="Nothing was changed."
      />
      <div className="actions">
        <FileButton
          variant="primary"
          icon="upload"
          accept=""
          field="Folder"
          folder
          onFiles={(files) => change.mutate({ files }, { onSuccess: open })}
        >
          Choose a folder
        </FileButton>
        <FileButton
          accept=".zip,.json,application/zip,application/json"
          field="ZIP file or JSON Resume"
          multiple={false}
          onFiles={([archive]) => archive && change.mutate({ archive }, { onSuccess: open })}
        >
          Choose a ZIP file or JSON Resume
        </FileButton>
      </div>
      <p className="muted">
        Folders of Astro, Eleventy, Gatsby, Hugo or Jekyll work as they are, and so do Markdown
        files with images beside them. Images elsewhere on the web aren’t fetched.
      </p>
    </div>
  );
}

/** The projects that an import has created or changed. */
function importedProjects({ report }: ImportView): ImportView["report"]["projects"] {
  return report.projects.filter(({ action }) => action === "create" || action === "update");
}

/** The result of an import. */
function Imported({ view, onAgain }: { view: ImportView; onAgain(): void }): ReactElement {
  const { report } = view;
  const imported = importedProjects(view);
  const count = imported.length;
  const images = imported.reduce((sum, { media }) => sum + media, 0);
  const what = [formatCount(count, "project"), images > 0 && formatCount(images, "image")];
  const title = report.applied
    ? `Imported ${what.filter(Boolean).join(" with ")}`
    : "Nothing was imported";
  return (
    <div className="import-plan">
      <Notice
        kind={report.applied ? "info" : "warn"}
        title={title}
        actions={
          <>
            <a className="button primary" href="/admin/projects?sort=updated">
              See projects
            </a>
            <a className="button" href="/admin/setup">
              Continue the setup
            </a>
            <Button onClick={onAgain}>Import another folder</Button>
          </>
        }
      >
        {report.applied
          ? "New projects are drafts. Review each one, then publish it."
          : "Everything in this folder is already on your site, or it can’t be imported."}
      </Notice>
      {report.site?.live === false && (
        <Notice
          kind="warn"
          quiet
        >{`Your site doesn’t show it yet: ${report.site.reason ?? ""}`}</Notice>
      )}
      <ImportNotes report={report} />
    </div>
  );
}

function foundLine({ report }: ImportView): string {
  const generator = generatorLabels[report.generator];
  const count = formatCount(report.projects.length, "project");
  const article = /^[AEIOU]/.test(generator ?? "") ? "an" : "a";
  return generator ? `Found ${count} in ${article} ${generator} folder.` : `Found ${count}.`;
}

function OneImport({ id, address }: { id: string; address: Address }): ReactElement {
  const upload = useImportView(id);
  const discard = useDiscardImport();
  const leave = (): void => address.change({ id: null });
  if (refusalOf(upload.error)?.status === 404) {
    return (
      <Notice
        kind="warn"
        title="This upload has expired"
        actions={<Button onClick={leave}>Choose a folder</Button>}
      >
        Uploaded folders are kept for a day at most, and until another folder is uploaded or the
        server restarts.
      </Notice>
    );
  }
  return (
    <QueryBody
      query={upload}
      what="the import"
      skeleton={{ count: 4, shape: "row", label: "Loading the import…" }}
    >
      {(view) => {
        if (view.state === "done") return <Imported view={view} onAgain={leave} />;
        if (view.state === "running") {
          return <Progress label={view.progress ?? "Importing…"} fraction={null} />;
        }
        return (
          <>
            <p className="lead">{foundLine(view)}</p>
            <ImportPlan
              key={view.id}
              view={view}
              onDiscard={() => discard.mutate(id, { onSettled: leave })}
            />
          </>
        );
      }}
    </QueryBody>
  );
}

/** The page /admin/import, which turns a folder into projects. */
export function ImportPage(): ReactElement {
  const address = useAddress();
  const id = address.params.get("id") ?? "";
  return (
    <div className="page import-page">
      <PageHeader below="projects" title="Import projects" />
      {id === "" ? <ChooseFolder address={address} /> : <OneImport id={id} address={address} />}
    </div>
  );
}
