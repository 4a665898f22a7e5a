import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Select } from "../../ui/Select.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { EditedForm } from "../forms/useForm.ts";
import { hasSecret, isSshAddress, sshServer, type TargetForm } from "./target-form.ts";
import { useFindHostKey } from "./useTargets.ts";

type Edited = EditedForm<TargetForm>;

/** The server's key, which the owner confirms by its fingerprint. */
function HostKey({ edited }: { edited: Edited }): ReactElement {
  const find = useFindHostKey();
  const server = sshServer(edited.form);
  const found = find.data;
  const isUsed = found !== undefined && edited.form.hostKey === found.hostKey;
  return (
    <>
      <TextInput
        label="Host key"
        {...edited.field("hostKey", "settings.hostKey")}
        hint="Vitrine connects only to a server with this key."
        maxLength={2000}
      />
      <div className="actions">
        <Button
          busy={find.isPending}
          inert={server === null}
          onClick={() => server && find.mutate(server)}
        >
          Get host key
        </Button>
      </div>
      <ErrorState what="Couldn’t get the host key." error={find.error} />
      {found && !isUsed && (
        <Notice
          kind="warn"
          title="Is this the server’s fingerprint?"
          actions={
            <Button onClick={() => edited.set({ hostKey: found.hostKey })}>Use this key</Button>
          }
        >
          <p>
            <code>{found.fingerprint}</code>
          </p>
          <p>
            Compare it with the one your host publishes, or run{" "}
            <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code> on the server.
          </p>
        </Notice>
      )}
    </>
  );
}

function Secret(props: { edited: Edited; label: string; isSaved: boolean }): ReactElement {
  const { edited, label, isSaved } = props;
  return (
    <TextInput
      label={label}
      {...edited.field("secret")}
      type="password"
      autoComplete="new-password"
      aside={<span>{isSaved ? "Set" : "Not set"}</span>}
      hint={
        isSaved
          ? "One is saved. Enter a new one to replace it."
          : "Stored encrypted, used for this target only and never shown again."
      }
      maxLength={4000}
    />
  );
}

function S3Fields({ edited }: { edited: Edited }): ReactElement {
  const { field } = edited;
  return (
    <>
      <TextInput
        label="Endpoint"
        {...field("endpoint", "settings.endpoint")}
        inputMode="url"
        placeholder="https://s3.eu-central-1.amazonaws.com"
        maxLength={500}
      />
      <div className="settings-row">
        <TextInput label="Bucket" {...field("bucket", "settings.bucket")} maxLength={63} />
        <TextInput
          label="Region, or “auto”"
          {...field("region", "settings.region")}
          maxLength={60}
        />
      </div>
      <TextInput
        label="Folder in the bucket"
        {...field("prefix", "settings.prefix")}
        hint="Leave blank for the bucket itself."
        maxLength={200}
      />
      <Select
        label="Bucket in the address"
        {...field("addressStyle", "settings.isPathStyle")}
        options={[
          { value: "path", label: "As a folder: endpoint/bucket" },
          { value: "host", label: "As a name: bucket.endpoint" },
        ]}
      />
      <TextInput
        label="Access key ID"
        {...field("accessKeyId", "settings.accessKeyId")}
        maxLength={200}
      />
    </>
  );
}

function GitFields({ edited }: { edited: Edited }): ReactElement {
  const { form, field } = edited;
  return (
    <>
      <TextInput
        label="Repository"
        {...field("url", "settings.url")}
        hint="By SSH, Vitrine makes a key for it. By HTTPS, it needs a token."
        placeholder="git@github.com:you/site.git"
        maxLength={500}
      />
      <TextInput label="Branch" {...field("branch", "settings.branch")} maxLength={100} />
      <Select
        label="Files"
        {...field("layout", "settings.layout")}
        options={[
          { value: "root", label: "In the branch itself (GitHub Pages and others)" },
          { value: "gitlab", label: "In public/, with a job (GitLab Pages)" },
        ]}
      />
      {form.layout === "root" && (
        <TextInput
          label="Custom domain"
          {...field("domain", "settings.domain")}
          hint="Written to the file CNAME for GitHub Pages. Leave blank for none."
          maxLength={253}
        />
      )}
      {hasSecret(form) && (
        <TextInput
          label="User"
          {...field("user", "settings.user")}
          hint="The name that belongs to the token. Leave blank for GitHub."
          maxLength={100}
        />
      )}
      {isSshAddress(form.url) && <HostKey edited={edited} />}
    </>
  );
}

function RsyncFields({ edited }: { edited: Edited }): ReactElement {
  const { form, field } = edited;
  return (
    <>
      <div className="settings-row">
        <TextInput label="Server" {...field("host", "settings.host")} maxLength={253} />
        <TextInput
          label="Port"
          {...field("port", "settings.port")}
          inputMode="numeric"
          maxLength={5}
        />
      </div>
      <TextInput label="User" {...field("user", "settings.user")} maxLength={64} />
      <TextInput
        label="Folder"
        {...field("folder", "settings.folder")}
        hint="It must exist. Without a slash at its beginning, it is in the user’s home folder."
        maxLength={300}
      />
      <Select
        label="Releases"
        {...field("placement", "settings.isAtomic")}
        options={[
          { value: "atomic", label: "One folder each, linked as “current”" },
          { value: "in-place", label: "Replace the files in the folder" },
        ]}
      />
      {form.placement === "atomic" && (
        <TextInput
          label="Releases to keep"
          {...field("keptReleases", "settings.keptReleases")}
          inputMode="numeric"
          maxLength={2}
        />
      )}
      <HostKey edited={edited} />
    </>
  );
}

function CloudflareFields({ edited }: { edited: Edited }): ReactElement {
  const { field } = edited;
  return (
    <>
      <TextInput label="Account ID" {...field("accountId", "settings.accountId")} maxLength={64} />
      <TextInput label="Project" {...field("project", "settings.project")} maxLength={58} />
      <TextInput
        label="Branch"
        {...field("branch", "settings.branch")}
        hint="The project’s production branch for the live site."
        maxLength={100}
      />
    </>
  );
}

/** The fields of the form's kind. */
export function TargetFields(props: { edited: Edited; isSecretSaved: boolean }): ReactElement {
  const { edited, isSecretSaved } = props;
  const { form, field } = edited;
  const secretLabel = form.kind === "s3" ? "Secret key" : "Token";
  return (
    <>
      {form.kind === "s3" && <S3Fields edited={edited} />}
      {form.kind === "git" && <GitFields edited={edited} />}
      {form.kind === "rsync" && <RsyncFields edited={edited} />}
      {form.kind === "netlify" && (
        <TextInput
          label="Site ID"
          {...field("siteId", "settings.siteId")}
          hint="In Netlify under Project configuration."
          maxLength={253}
        />
      )}
      {form.kind === "cloudflare" && <CloudflareFields edited={edited} />}
      {hasSecret(form) && <Secret edited={edited} label={secretLabel} isSaved={isSecretSaved} />}
    </>
  );
}
