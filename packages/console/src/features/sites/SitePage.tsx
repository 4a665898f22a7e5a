import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { TextInput } from "../../ui/TextInput.tsx";
import { ApiError, asApiError } from "../../api/client.ts";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { useForm } from "../forms/useForm.ts";
import { QueryBody } from "../queries/QueryBody.tsx";
import { parseInteger } from "../settings/number.ts";
import { SettingForm } from "../settings/SettingForm.tsx";
import { SettingsSection } from "../settings/SettingsSection.tsx";
import { diskLimitError } from "./site-form.ts";
import { Domains } from "./Domains.tsx";
import { isFull, usageLabel } from "./labels.ts";
import { NewSiteDialog } from "./NewSiteDialog.tsx";
import { RemoveSiteDialog } from "./RemoveSiteDialog.tsx";
import { SiteJobs } from "./SiteJobs.tsx";
import { Activity, StateBadge } from "./SiteRow.tsx";
import {
  type MeasuredSite,
  type SiteDetail,
  useChangeSite,
  useSite,
  useUsage,
} from "./useSites.ts";

function SuspendDialog({ site, onClose }: { site: SiteDetail; onClose(): void }): ReactElement {
  const change = useChangeSite();
  const { name } = site;
  return (
    <ConfirmDialog
      danger
      question={`Suspend “${name}”?`}
      yes="Suspend"
      busy={change.isPending}
      error={change.isError ? asApiError(change.error).message : null}
      onNo={onClose}
      onYes={() => change.mutate({ path: "suspend", body: { name } }, { onSuccess: onClose })}
    >
      <p>
        Visitors see that the site isn’t available, its owner can’t sign in, and its tasks stop.
        Nothing is deleted, and you can resume it at any time.
      </p>
    </ConfirmDialog>
  );
}

function State({
  site,
  usage,
}: {
  site: SiteDetail;
  usage: MeasuredSite | undefined;
}): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const resume = useChangeSite();
  const { name, status } = site;
  return (
    <SettingsSection
      title="State"
      about="A site’s processes sleep while nobody needs them. Its public pages are served all the same."
    >
      <p className="site-state">
        <StateBadge site={site} />
        <Activity site={site} usage={usage} />
      </p>
      {site.movedTo !== null && (
        <p className="muted">
          It was moved to <code>{site.movedTo}</code>. Remove it here once it works there.
        </p>
      )}
      <ErrorState what={`Couldn’t resume “${name}”.`} error={resume.error} />
      <div className="actions">
        {status === "active" ? (
          <Button onClick={() => setAsking(true)}>Suspend site</Button>
        ) : (
          <Button
            busy={resume.isPending}
            onClick={() => resume.mutate({ path: "resume", body: { name } })}
          >
            Resume site
          </Button>
        )}
      </div>
      {isAsking && <SuspendDialog site={site} onClose={() => setAsking(false)} />}
    </SettingsSection>
  );
}

function DiskLimitForm({ name, usage }: { name: string; usage: MeasuredSite }): ReactElement {
  const change = useChangeSite();
  const edited = useForm({
    before: { diskMiB: usage.diskMiB === null ? "" : String(usage.diskMiB) },
    saving: change,
    check(form): Record<string, string> {
      const error = diskLimitError(form.diskMiB);
      return error === null ? {} : { diskMiB: error };
    },
    save: ({ diskMiB }) =>
      change.mutate({ path: "limit", body: { name, diskMiB: parseInteger(diskMiB) } }),
  });
  return (
    <SettingForm edited={edited} label="Disk limit" save="Save limit">
      <p>{usageLabel(usage)}</p>
      {isFull(usage) && (
        <Notice kind="warn" quiet>
          The site is full: uploads fail. Raise the limit, or ask its owner to delete something.
        </Notice>
      )}
      <TextInput
        label="Limit in MiB"
        {...edited.field("diskMiB")}
        hint="Leave it empty for no limit."
        placeholder="No limit"
        inputMode="numeric"
      />
    </SettingForm>
  );
}

function DiskLimit({ name, usage }: { name: string; usage: ReturnType<typeof useUsage> }) {
  return (
    <SettingsSection
      title="Disk space"
      about="Above the limit, uploads fail; publishing still works until a quarter more. Saving starts the site’s processes again."
    >
      <QueryBody
        query={usage}
        what="the disk space"
        skeleton={{ count: 2, shape: "row", label: "Measuring the disk space…" }}
      >
        {({ items: [measured] }) =>
          measured === undefined ? (
            <p className="muted">Vitrine can’t measure this site. Check its vitrine.json.</p>
          ) : (
            <DiskLimitForm name={name} usage={measured} />
          )
        }
      </QueryBody>
    </SettingsSection>
  );
}

function Command({ what, command }: { what: string; command: string }): ReactElement {
  return (
    <div className="site-command">
      <p>{what}</p>
      <p className="actions">
        <code>{command}</code>
        <CopyButton text={command} what="The command" of={what} />
      </p>
    </div>
  );
}

function Commands({ name }: { name: string }): ReactElement {
  return (
    <SettingsSection
      title="On the server"
      about="Backups contain the site’s keys, so you make them on the server. Every other command works for this site, too, with --site."
    >
      <Command
        what="Back up this site to a file"
        command={`vitrine site export ${name} ${name}.tar.gz`}
      />
      <Command
        what="Make a new sign-in link, if its owner can’t sign in"
        command={`vitrine --site ${name} set-admin-token --pretty`}
      />
    </SettingsSection>
  );
}

function Removal({ name, about }: { name: string; about: string }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const { change } = useAddress();
  return (
    <SettingsSection title="Remove" about={about}>
      <div className="actions">
        <Button variant="danger" onClick={() => setAsking(true)}>
          Remove site
        </Button>
      </div>
      {isAsking && (
        <RemoveSiteDialog
          name={name}
          onClose={() => setAsking(false)}
          // The list shows how it continues.
          onDone={() => change({ site: null }, "replace")}
        />
      )}
    </SettingsSection>
  );
}

function Unfinished({ site }: { site: SiteDetail }): ReactElement {
  const [isCreating, setCreating] = useState(false);
  const { name } = site;
  const [domain = ""] = site.domains;
  return (
    <>
      <SettingsSection
        title="Not finished"
        about="Creating this site was interrupted. Nobody can use it yet."
      >
        <div className="actions">
          <Button variant="primary" onClick={() => setCreating(true)}>
            Create it again
          </Button>
        </div>
      </SettingsSection>
      <Removal name={name} about="Deletes what exists of it, and frees its domain." />
      {isCreating && (
        <NewSiteDialog
          domainSuffix={null}
          unfinished={{ name, domain }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function Sections({ site }: { site: SiteDetail }): ReactElement | null {
  const { name, status } = site;
  const isFinished = status !== "creating";
  const usage = useUsage(isFinished ? [name] : []);
  // Its job says what happens.
  if (site.isBusy) return null;
  if (!isFinished) return <Unfinished site={site} />;
  return (
    <>
      <State site={site} usage={usage.data?.items[0]} />
      <Domains site={site} />
      <DiskLimit name={name} usage={usage} />
      <Commands name={name} />
      <Removal
        name={name}
        about="Deletes the site with everything in it. Back it up first if anybody may want it again."
      />
    </>
  );
}

const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "not_found";

function NoSite({ name }: { name: string }): ReactElement {
  return (
    <EmptyState
      action={
        <a className="button" href="/admin/sites">
          Show all sites
        </a>
      }
    >
      There’s no site called “{name}”.
    </EmptyState>
  );
}

/** One site: its state, its domains, its disk space, and its removal. */
export function SitePage({ name }: { name: string }): ReactElement {
  const query = useSite(name);
  const site = query.data;
  return (
    <div className="page settings sites">
      <PageHeader below="sites" title={name}>
        {site?.status === "active" && (
          <a className="button" href={site.address} target="_blank" rel="noreferrer">
            Open the site<span className="unseen"> (opens in a new tab)</span>
          </a>
        )}
      </PageHeader>
      <SiteJobs only={name} />
      {isMissing(query.error) ? (
        <NoSite name={name} />
      ) : (
        <QueryBody
          query={query}
          what={`the site “${name}”`}
          skeleton={{ count: 4, shape: "row", label: "Loading site…" }}
        >
          {(data) => <Sections site={data} />}
        </QueryBody>
      )}
    </div>
  );
}
