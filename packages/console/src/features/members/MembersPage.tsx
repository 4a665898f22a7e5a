import "./members.css";

import type { ReactElement } from "react";

import { useAddress } from "../../ui/search-params.ts";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { MemberList } from "./MemberList.tsx";
import { ProjectMembers } from "./ProjectMembers.tsx";
import { ProjectsList } from "./ProjectsList.tsx";
import { viewOf } from "./useMembers.ts";

/** The page of restricted projects, invitations, and users. */
export function MembersPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  if (view.project !== null) {
    return <ProjectMembers key={view.project} address={address} view={view} id={view.project} />;
  }
  return (
    <div className="page members">
      <PageHeader
        title="Members"
        lead="Projects with limited access, and the people who can see them. These projects and their images never appear on the public site. People with access see them after signing in."
      />
      <div className="filters">
        <SegmentedControl
          legend="View"
          value={view.part}
          options={[
            { value: "projects", label: "Projects" },
            { value: "people", label: "People with an account" },
          ]}
          onChange={(part) =>
            address.change({ view: part === "people" ? part : null, q: null, page: null })
          }
        />
      </div>
      {view.part === "people" ? <MemberList address={address} view={view} /> : <ProjectsList />}
    </div>
  );
}
