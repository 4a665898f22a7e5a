import type {
  Invitation,
  Invited,
  Member,
  MemberBuild,
  MemberProject,
  Visit,
} from "../../../../server/src/features/members/schema.ts";
import { type Client, ApiError, type Query } from "../../api/client.ts";
import type { Page } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet, useListPage } from "../../api/useGet.ts";
import { formatCount } from "../../ui/format.ts";
import { type Address, idIn, readChoice, pageIn } from "../../ui/search-params.ts";

export type { Invitation, Invited, Member, MemberBuild, MemberProject, Visit };

const api = "/api/adminmembers";
const key = ["members"] as const;

/** How many of a list are on a page. */
export const perPage = 25;
/** The polling interval for builds, in ms. */
const soonMs = 3000;

/** What the address selects: one project, the projects, or the users. */
export function viewOf({ params }: Address) {
  const q = params.get("q") ?? "";
  return {
    project: idIn(params, "project"),
    part: readChoice(params, "view", ["people"] as const) ?? ("projects" as const),
    q,
    page: pageIn(params),
    filtered: q !== "",
  };
}
export type MembersView = ReturnType<typeof viewOf>;

/** The restricted projects, polled while one is being built. */
export function useMemberProjects() {
  return useGet<{ projects: MemberProject[] }>([...key, "projects"], `${api}/projects`, undefined, {
    refetchInterval: ({ state }) =>
      state.data?.projects.some(({ build }) => build.status === "pending") ? soonMs : false,
  });
}

function usePages<T>(path: string, query: Query) {
  return useListPage<Page<T>>([...key, path], `${api}/${path}`, { ...query, perPage });
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

/** An error about the n-th address, as an error of the field with all addresses. */
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

/** Inviting, and changes to invitations and users; refreshes the lists. */
export function useMemberChanges() {
  const awaited = [key];
  const invite = useChange<Inviting, Invited>({
    send: sendInvitations,
    announcement: ({ invited }) => `${formatCount(invited, "person", "people")} invited.`,
    awaited,
  });
  const inviteAgain = useChange<Invitation>({
    send: (client, { id }) => client.post(`${api}/reinvite`, { invitationId: id }),
    announcement: (_, { email }) => `Email resent to ${email}.`,
    awaited,
  });
  const revoke = useChange<Invitation>({
    send: (client, { id }) => client.post(`${api}/revoke`, { invitationId: id }),
    announcement: (_, { email }) => `Invitation for ${email} revoked.`,
    awaited,
  });
  const remove = useChange<Member>({
    send: (client, { id }) => client.post(`${api}/remove`, { userId: id }),
    announcement: (_, { email }) => `Account of ${email} removed.`,
    awaited,
  });
  return { invite, inviteAgain, revoke, remove };
}
