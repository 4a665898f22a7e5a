import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  Invitation,
  Invited,
  Member,
  MemberBuild,
  MemberProject,
  Visit,
} from "../../../../server/src/features/members/schema.ts";
import { type Client, ApiError } from "../../api/client.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import type { Page } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { type Address, oneIn, pageIn } from "../../ui/search-params.ts";

export type { Invitation, Invited, Member, MemberBuild, MemberProject, Visit };

const api = "/api/adminmembers";
const key = ["members"] as const;

/** How many of a list are on a page. */
export const perPage = 25;
/** How often it is looked whether a build is ready, in ms. */
const soonMs = 3000;

/** What the address asks for: one project, the projects, or the people. */
export function viewOf({ params }: Address) {
  const id = Number(params.get("project"));
  const q = params.get("q") ?? "";
  return {
    project: Number.isSafeInteger(id) && id > 0 ? id : null,
    part: oneIn(params, "view", ["people"] as const) ?? ("projects" as const),
    q,
    page: pageIn(params),
    filtered: q !== "",
  };
}
export type MembersView = ReturnType<typeof viewOf>;

/** The projects that are not for everybody; looked at again while one is being built. */
export function useMemberProjects() {
  const client = useClient();
  return useQuery({
    queryKey: [...key, "projects"],
    queryFn: ({ signal }) =>
      client.get<{ projects: MemberProject[] }>(`${api}/projects`, {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.projects.some(({ build }) => build.status === "pending") ? soonMs : false,
  });
}

function usePages<T>(path: string, query: Record<string, string | number>) {
  const client = useClient();
  return useQuery({
    queryKey: [...key, path, query],
    queryFn: ({ signal }) => client.get<Page<T>>(`${api}/${path}`, { ...query, perPage }, signal),
    placeholderData: keepPreviousData,
  });
}

export const useMembersList = ({ q, page }: MembersView) => usePages<Member>("list", { q, page });

export const useInvitations = (projectId: number, page: number) =>
  usePages<Invitation>("invitations", { projectId, page });

export const useVisits = (projectId: number, page: number) =>
  usePages<Visit>("visits", { projectId, page });

export interface Inviting {
  projectId: number;
  emails: string[];
  note: string;
}

/** A fault of the n-th address as one of the field that they are all written in. */
function aboutAddresses(error: unknown, emails: readonly string[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const faults = Object.entries(error.fields).flatMap(([name, words]) => {
    const address = emails[Number(/^emails\.(\d+)$/.exec(name)?.[1])];
    return address === undefined ? [] : [`“${address}” ${words}`];
  });
  if (faults.length === 0) return error;
  const fields = { ...error.fields, emails: faults.join(", ") };
  return new ApiError(error.code, error.message, error.status, { fields });
}

async function sendInvitations(client: Client, body: Inviting): Promise<Invited> {
  try {
    return await client.post<Invited>(`${api}/invite`, body);
  } catch (error) {
    throw aboutAddresses(error, body.emails);
  }
}

/** Inviting, and all that is done to invitations and people; the lists follow. */
export function useMemberChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => queries.invalidateQueries({ queryKey: key });
  const invite = useMutation({
    mutationFn: (body: Inviting) => sendInvitations(client, body),
    onSuccess: ({ invited }) => announce(`${formatCount(invited, "person", "people")} invited.`),
    onSettled,
  });
  const inviteAgain = useMutation({
    mutationFn: ({ id }: Invitation) => client.post(`${api}/reinvite`, { invitationId: id }),
    onSuccess: (_, { email }) => announce(`Another mail goes to ${email}.`),
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Invitation) => client.post(`${api}/revoke`, { invitationId: id }),
    onSuccess: (_, { email }) => announce(`The invitation of ${email} is revoked.`),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: Member) => client.post(`${api}/remove`, { userId: id }),
    onSuccess: (_, { email }) => announce(`The account of ${email} is removed.`),
    onSettled,
  });
  return { invite, inviteAgain, revoke, remove };
}
