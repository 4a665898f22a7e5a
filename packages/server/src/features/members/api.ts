import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import type { Members } from "./members.ts";
import {
  aboutProjectQuery,
  invitationBody,
  invitationDone,
  invitationList,
  inviteBody,
  invited,
  memberList,
  memberListQuery,
  memberProjects,
  removeBody,
  removedMember,
  visitList,
} from "./schema.ts";

export interface MembersRoutesDependencies {
  guard: Pick<AdminGuard, "requireAdmin">;
  members: Members;
}

const described = adminRoute("members");
const changeErrorResponses = { ...adminErrorResponses, 404: errorEnvelope, 409: errorEnvelope };

function registerReading(app: AppServer, { guard, members }: MembersRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    "/api/adminmembers/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List users, newest first",
        querystring: memberListQuery,
        response: { 200: envelope(memberList), ...adminErrorResponses },
      },
    },
    async ({ query }) => ok(await members.list(query)),
  );
  app.get(
    "/api/adminmembers/projects",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List restricted projects with the state of their private builds",
        response: { 200: envelope(memberProjects), ...adminErrorResponses },
      },
    },
    async () => ok({ projects: await members.projects() }),
  );
  app.get(
    "/api/adminmembers/invitations",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List invitations, active ones first, newest first",
        querystring: aboutProjectQuery,
        response: { 200: envelope(invitationList), ...adminErrorResponses },
      },
    },
    async ({ query }) => ok(await members.invitations(query)),
  );
  app.get(
    "/api/adminmembers/visits",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List visits to restricted projects, latest first",
        querystring: aboutProjectQuery,
        response: { 200: envelope(visitList), ...adminErrorResponses },
      },
    },
    async ({ query }) => ok(await members.visits(query)),
  );
}

function registerInviting(app: AppServer, { guard, members }: MembersRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.post(
    "/api/adminmembers/invite",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Invite email addresses to a project",
        body: inviteBody,
        response: { 200: envelope(invited), ...changeErrorResponses },
      },
    },
    async ({ body }) => ok(await members.invite(body)),
  );
  app.post(
    "/api/adminmembers/reinvite",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Resend an invitation with a new link",
        body: invitationBody,
        response: { 200: envelope(invitationDone), ...changeErrorResponses },
      },
    },
    async ({ body: { invitationId } }) => {
      await members.resendInvitation(invitationId);
      return ok({ invitationId });
    },
  );
  app.post(
    "/api/adminmembers/revoke",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Revoke an invitation; the address loses access immediately",
        body: invitationBody,
        response: { 200: envelope(invitationDone), ...changeErrorResponses },
      },
    },
    async ({ body: { invitationId } }) => {
      await members.revoke(invitationId);
      return ok({ invitationId });
    },
  );
}

function registerRemoving(app: AppServer, { guard, members }: MembersRoutesDependencies): void {
  app.post(
    "/api/adminmembers/remove",
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Permanently delete an account; invitations remain",
        body: removeBody,
        response: { 200: envelope(removedMember), ...changeErrorResponses },
      },
    },
    async ({ body: { userId } }) => {
      await members.remove(userId);
      return ok({ userId, removed: true as const });
    },
  );
}

/**
 * Routes for the audiences of restricted projects, for an admin session or a token with the scope.
 */
export function registerMembersAdmin(app: AppServer, deps: MembersRoutesDependencies): void {
  registerReading(app, deps);
  registerInviting(app, deps);
  registerRemoving(app, deps);
}
