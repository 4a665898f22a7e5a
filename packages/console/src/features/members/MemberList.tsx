import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { formatCount } from "../../ui/format.ts";
import { type Address, useSearchText } from "../../ui/search-params.ts";
import { SearchField } from "../../ui/SearchField.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { PagedList } from "../queries/PagedList.tsx";
import { Time } from "../time/Time.tsx";
import {
  type Member,
  type MembersView,
  perPage,
  useMemberChanges,
  useMembersList,
} from "./useMembers.ts";

function RemoveDialog(props: { member: Member; onClose(): void }): ReactElement {
  const { member, onClose } = props;
  const { remove } = useMemberChanges();
  return (
    <RemovalDialog
      item={member}
      question={`Remove the account of ${member.email}?`}
      yes="Remove"
      remove={remove}
      onClose={onClose}
    >
      <p>
        They’re signed out everywhere, and their account data is deleted permanently. Their
        invitations stay, so a new account would see the same projects. To prevent that, revoke the
        invitations.
      </p>
    </RemovalDialog>
  );
}

function Person(props: { member: Member; onRemove(member: Member): void }): ReactElement {
  const { member, onRemove } = props;
  const { id, email, name, verified, createdAt, lastSeenAt, invitations, visits } = member;
  return (
    <li className="entry" data-member={id}>
      <div className="entry-words">
        <h2>{name === "" ? email : name}</h2>
        {name !== "" && <p>{email}</p>}
        <p className="muted">
          Since <Time iso={createdAt} dayOnly />
          {verified ? "" : " · address not confirmed"}
          {" · "}
          {lastSeenAt === null ? (
            "never signed in"
          ) : (
            <>
              last seen <Time iso={lastSeenAt} dayOnly />
            </>
          )}
          {` · ${formatCount(invitations, "invitation")} · ${formatCount(visits, "visit")}`}
        </p>
      </div>
      <div className="actions">
        <Button label={`Remove the account of ${email}`} onClick={() => onRemove(member)}>
          Remove
        </Button>
      </div>
    </li>
  );
}

/** All users with an account. */
export function MemberList(props: { address: Address; view: MembersView }): ReactElement {
  const { address, view } = props;
  const search = useSearchText(address);
  const [memberToRemove, setMemberToRemove] = useState<Member | null>(null);
  return (
    <>
      <div className="filters">
        <SearchField label="Search people" search={search} />
      </div>
      <PagedList
        query={useMembersList(view)}
        address={address}
        view={view}
        perPage={perPage}
        noun="people"
        skeleton={{ count: 4, shape: "row" }}
        filters={["q"]}
        empty={
          <EmptyState
            action={
              <a className="button" href="/admin/settings#accounts">
                Choose who can sign up
              </a>
            }
          >
            No accounts yet.
          </EmptyState>
        }
      >
        {({ items }) => (
          <ul className="entries" aria-label="People with an account">
            {items.map((member) => (
              <Person key={member.id} member={member} onRemove={setMemberToRemove} />
            ))}
          </ul>
        )}
      </PagedList>
      {memberToRemove && (
        <RemoveDialog member={memberToRemove} onClose={() => setMemberToRemove(null)} />
      )}
    </>
  );
}
