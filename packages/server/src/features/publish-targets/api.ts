import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import {
  createBody,
  deleted,
  foundHostKey,
  hostKeyBody,
  pauseBody,
  saveBody,
  sendBody,
  target,
  targetBody,
  targetList,
  targetTest,
} from "./schema.ts";
import type { Targets } from "./targets.ts";

export interface TargetRoutesDependencies {
  guard: AdminGuard;
  targets: Targets;
}

const url = "/api/adminsettings/targets";
const described = adminRoute("settings");
const errors = { 404: errorEnvelope, 409: errorEnvelope, ...adminErrorResponses };
/** What happens when another server doesn't do what is asked of it, or a program is missing. */
const remoteErrors = {
  400: errorEnvelope,
  502: errorEnvelope,
  503: errorEnvelope,
  ...errors,
};

function registerEditing(app: AppServer, { guard, targets }: TargetRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List publish targets with their state, without their secrets",
        response: { 200: envelope(targetList), ...adminErrorResponses },
      },
    },
    async () => ok(await targets.list()),
  );
  app.post(
    `${url}/create`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Add a publish target; for SSH, Vitrine makes a key pair for it",
        body: createBody,
        response: { 201: envelope(target), 503: errorEnvelope, ...errors },
      },
    },
    async ({ body }, reply) => reply.code(201).send(ok(await targets.create(body))),
  );
  app.post(
    `${url}/save`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Change a publish target and send the site to it again",
        body: saveBody,
        response: { 200: envelope(target), 503: errorEnvelope, ...errors },
      },
    },
    async ({ body }) => ok(await targets.save(body)),
  );
  app.post(
    `${url}/delete`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Remove a publish target; what was sent to it stays there",
        body: targetBody,
        response: { 200: envelope(deleted), ...errors },
      },
    },
    async ({ body: { id } }) => {
      await targets.remove(id);
      return ok({ id, deleted: true as const });
    },
  );
}

function registerSending(app: AppServer, { guard, targets }: TargetRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.post(
    `${url}/pause`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Pause a publish target, or resume it",
        body: pauseBody,
        response: { 200: envelope(target), ...errors },
      },
    },
    async ({ body: { id, isPaused } }) => ok(await targets.setPaused(id, isPaused)),
  );
  app.post(
    `${url}/send`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Send the live release to a publish target now",
        body: sendBody,
        response: { 200: envelope(target), ...errors },
      },
    },
    async ({ body: { id, everything } }) => ok(await targets.send(id, { everything })),
  );
  app.post(
    `${url}/test`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Connect to a publish target as a delivery would, without sending the site",
        body: targetBody,
        response: { 200: envelope(targetTest), ...remoteErrors },
      },
    },
    async ({ body: { id } }) => ok(await targets.test(id)),
  );
  app.post(
    `${url}/host-key`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Ask an SSH server for its public key, whose fingerprint the owner compares",
        body: hostKeyBody,
        response: { 200: envelope(foundHostKey), ...remoteErrors },
      },
    },
    async ({ body }) => ok(await targets.findHostKey(body)),
  );
}

/** Registers the admin routes of publish targets, for a session or a bearer token. */
export function registerTargets(app: AppServer, deps: TargetRoutesDependencies): void {
  registerEditing(app, deps);
  registerSending(app, deps);
}
