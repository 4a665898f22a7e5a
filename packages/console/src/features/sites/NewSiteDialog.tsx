import type { ReactElement } from "react";

import { useSite as useOwnSite } from "../../api/context.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { FormDialog } from "../forms/FormDialog.tsx";
import { type EditedForm, useForm } from "../forms/useForm.ts";
import { TimeZoneInput } from "../time/TimeZoneInput.tsx";
import { siteBody, type SiteForm, siteFormErrors } from "./site-form.ts";
import { useCreateSite } from "./useSites.ts";

interface NewSiteProps {
  /** What a new site gets as its domain after its name; null if it needs one of its own. */
  domainSuffix: string | null;
  /** A site whose creation was interrupted. */
  unfinished?: { name: string; domain: string };
  onClose(): void;
}

function Fields(props: {
  edited: EditedForm<SiteForm>;
  domainSuffix: string | null;
  isNameFixed: boolean;
}): ReactElement {
  const { edited, domainSuffix } = props;
  const { field, form } = edited;
  const name = form.name.trim() || "anna";
  return (
    <>
      <TextInput
        label="Name"
        {...field("name")}
        autoFocus={!props.isNameFixed}
        hint="For commands and folders. Lowercase letters, digits, and hyphens; you can’t change it later."
        maxLength={40}
      />
      <TextInput
        label="Owner"
        {...field("owner")}
        autoFocus={props.isNameFixed}
        hint="The person or studio whose site it is, as its pages show it."
        maxLength={120}
      />
      <TextInput
        label={domainSuffix === null ? "Domain" : "Domain (optional)"}
        {...field("domain")}
        hint="Without https://. Its DNS has to point to this server."
        {...(domainSuffix !== null && { placeholder: `${name}${domainSuffix}` })}
        inputMode="url"
        maxLength={253}
      />
      <TimeZoneInput label="Time zone" {...field("timeZone")} />
      <TextInput
        label="Disk limit in MiB (optional)"
        {...field("diskMiB")}
        hint="Everything in the site’s folder counts. A new site needs about 10 MiB."
        placeholder="No limit"
        inputMode="numeric"
      />
    </>
  );
}

/** Creates a site; the rest happens without this dialog. */
export function NewSiteDialog({ domainSuffix, unfinished, onClose }: NewSiteProps): ReactElement {
  const { timeZone } = useOwnSite();
  const create = useCreateSite();
  const edited = useForm<SiteForm>({
    before: {
      name: unfinished?.name ?? "",
      owner: "",
      domain: unfinished?.domain ?? "",
      timeZone,
      diskMiB: "",
    },
    saving: create,
    check: (form) => siteFormErrors(form, domainSuffix === null),
    save: (form) => create.mutate(siteBody(form), { onSuccess: onClose }),
  });
  return (
    <FormDialog
      title={unfinished ? `Create “${unfinished.name}” again` : "Create a site"}
      yes="Create site"
      refused="Couldn’t create the site."
      edited={edited}
      onClose={onClose}
    >
      <Fields edited={edited} domainSuffix={domainSuffix} isNameFixed={unfinished !== undefined} />
    </FormDialog>
  );
}
