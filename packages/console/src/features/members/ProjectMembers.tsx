import type { ReactElement, ReactNode } from "react";

import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import type { Address } from "../../ui/search-params.ts";
import { PagedList } from "../queries/PagedList.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { Time } from "../time/Time.tsx";
import { BuildState } from "./BuildState.tsx";
import { InvitationItem } from "./InvitationItem.tsx";
import { InviteForm } from "./InviteForm.tsx";
import { audienceLabels, timesLabel } from "./labels.ts";
import {
  type MemberProject,
  type MembersView,
  perPage,
  useInvitations,
  useMemberProjects,
  useVisits,
} from "./useMembers.ts";

interface PartProps {
  address: Address;
  view: MembersView;
  id: number;
}

function Invitations({ address, view, id }: PartProps): ReactElement {
  return (
    <PagedList
      query={useInvitations(id, view.page)}
      address={address}
      view={view}
      perPage={perPage}
      noun="invitations"
      skeleton={{ count: 3, shape: "row" }}
      filters={[]}
      empty={<EmptyState>No invitations yet.</EmptyState>}
    >
      {({ items }) => (
        <ul className="entries" aria-label="Invitations">
          {items.map((invitation) => (
            <InvitationItem key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Visits({ address, view, id }: PartProps): ReactElement {
  return (
    <PagedList
      query={useVisits(id, view.page)}
      address={address}
      view={view}
      perPage={perPage}
      noun="people"
      skeleton={{ count: 3, shape: "row" }}
      filters={[]}
      empty={<EmptyState>No one has opened it yet.</EmptyState>}
    >
      {({ items }) => (
        <ul className="entries" aria-label="Who opened it">
          {items.map(({ email, hasAccount, firstAt, lastAt, visits }) => (
            <li key={`${email} ${firstAt}`} className="entry">
              <div className="entry-words">
                <h3>{email ?? "Removed account"}</h3>
                <p>
                  {timesLabel(visits)}, {visits > 1 && "last "}
                  <Time iso={lastAt} />
                </p>
                {!hasAccount && email !== null && <p className="muted">No longer has an account</p>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Head(props: {
  title: string;
  id: number;
  /** The address of the project, once it can be opened. */
  seenAt?: string | null;
  lead?: ReactNode;
}): ReactElement {
  return (
    <PageHeader below="members" title={props.title} lead={props.lead}>
      {props.seenAt && (
        <a className="button" href={props.seenAt}>
          View
        </a>
      )}
      <a className="button" href={`/admin/projects/edit?id=${props.id}`}>
        Edit the project
      </a>
    </PageHeader>
  );
}

function MemberTable(props: PartProps & { project: MemberProject }): ReactElement {
  const { project, ...part } = props;
  if (project.audience === "members") {
    return (
      <section aria-labelledby="opened">
        <h2 id="opened">Who opened it</h2>
        <Visits {...part} />
      </section>
    );
  }
  return (
    <div className="invited-columns">
      <section aria-labelledby="invite">
        <h2 id="invite">Invite</h2>
        <InviteForm projectId={part.id} />
      </section>
      <section aria-labelledby="invitations">
        <h2 id="invitations">Who is invited</h2>
        <Invitations {...part} />
      </section>
    </div>
  );
}

/** Who can see a project, who has opened it, and the invitation form. */
export function ProjectMembers(props: PartProps): ReactElement {
  const query = useMemberProjects();
  const project = query.data?.projects.find(({ id }) => id === props.id);
  if (!project) {
    return (
      <div className="page members">
        <Head title="Who can see a project" id={props.id} />
        <QueryBody
          query={query}
          what="the project"
          skeleton={{ count: 4, shape: "row", label: "Loading project…" }}
        >
          {() => (
            <EmptyState>
              This project is public or doesn’t exist. Choose who can see a project in its editor.
            </EmptyState>
          )}
        </QueryBody>
      </div>
    );
  }
  return (
    <div className="page members">
      <Head
        title={project.name}
        id={props.id}
        lead={audienceLabels[project.audience]}
        seenAt={project.build.builtAt === null ? null : `/projects/${project.slug}/`}
      />
      <BuildState project={project} />
      <MemberTable {...props} project={project} />
    </div>
  );
}
