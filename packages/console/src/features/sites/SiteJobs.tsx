import type { ReactElement, ReactNode } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { jobTitle } from "./labels.ts";
import { type SiteJob, useDismissJob, useSiteJobs } from "./useSites.ts";

function Running({ job }: { job: SiteJob }): ReactElement {
  return (
    <Notice
      kind="info"
      title={
        <>
          <span className="spinner" aria-hidden="true" /> {jobTitle(job)}…
        </>
      }
    >
      <p>
        {job.progress ?? "Starting"}. You can leave this page; it continues on{" "}
        {job.node === null ? "the server" : `the node ${job.node}`}.
      </p>
    </Notice>
  );
}

function Dismiss({ job, children }: { job: SiteJob; children: ReactNode }): ReactElement {
  const dismiss = useDismissJob();
  return (
    <Button busy={dismiss.isPending} onClick={() => dismiss.mutate(job)}>
      {children}
    </Button>
  );
}

function Unreadable({ job: { name, node } }: { job: SiteJob }): ReactElement {
  return (
    <p>
      This node can’t decrypt the sign-in link, because it doesn’t have the key in use when the link
      was made. Open this page on {node === null ? "another node" : `the node ${node}`}, or dismiss
      this and run <code>vitrine --site {name} set-admin-token</code> for another link.
    </p>
  );
}

function Created({ job }: { job: SiteJob }): ReactElement {
  const { name, link } = job;
  return (
    <Notice
      kind="info"
      title={`The site “${name}” is ready`}
      actions={
        <>
          {link !== null && <CopyButton text={link} what="The sign-in link" idle="Copy link" />}
          <Dismiss job={job}>{link === null ? "Dismiss" : "I’ve saved the link"}</Dismiss>
        </>
      }
    >
      {job.isLinkUnreadable ? (
        <Unreadable job={job} />
      ) : link === null ? (
        <p>The owner can already sign in.</p>
      ) : (
        <>
          <p>
            Send this sign-in link to its owner. Anyone who has it can sign in, and it’s shown only
            here, until you confirm that you’ve saved it.
          </p>
          <p className="sign-in-link">
            <code>{link}</code>
          </p>
        </>
      )}
    </Notice>
  );
}

function Failed({ job }: { job: SiteJob }): ReactElement {
  return (
    <Notice kind="error" title={jobTitle(job)} actions={<Dismiss job={job}>Dismiss</Dismiss>}>
      <p>{job.error?.message ?? "Vitrine doesn’t know why."}</p>
      <p>
        {job.kind === "create"
          ? "What exists so far is kept: create it again under the same name, or remove it."
          : "Remove it again. A site that was finished is suspended: you can resume it if its files are still there."}
      </p>
    </Notice>
  );
}

function Removed({ job }: { job: SiteJob }): ReactElement {
  return (
    <Notice kind="info" title={jobTitle(job)} actions={<Dismiss job={job}>Dismiss</Dismiss>}>
      <p>Everything in it was deleted, and its domains are free.</p>
    </Notice>
  );
}

function JobNotice({ job }: { job: SiteJob }): ReactElement {
  if (job.state === "running") return <Running job={job} />;
  if (job.state === "failed") return <Failed job={job} />;
  return job.kind === "create" ? <Created job={job} /> : <Removed job={job} />;
}

/** The sites that are being created or removed, and how that has ended. */
export function SiteJobs({ only }: { only?: string }): ReactElement | null {
  const jobs = useSiteJobs();
  const items = jobs.data?.items.filter(({ name }) => only === undefined || name === only) ?? [];
  if (jobs.isError) {
    return (
      <ErrorState
        what="Couldn’t load the sites in progress."
        error={jobs.error}
        busy={jobs.isFetching}
        onRetry={() => void jobs.refetch()}
      />
    );
  }
  if (items.length === 0) return null;
  return (
    <div className="site-jobs">
      {items.map((job) => (
        <JobNotice key={`${job.name} ${job.startedAt}`} job={job} />
      ))}
    </div>
  );
}
