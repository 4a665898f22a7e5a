import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { answersBody, dismissBody, setupView } from "./schema.ts";
import { dismissSetup, saveAnswers, type SetupDependencies, viewSetup } from "./setup.ts";

const described = adminRoute("setup");
const response = { 200: envelope(setupView), ...adminErrorResponses };

/** The answers of the setup, stored until they are applied, and what is left of the sample. */
export function registerSetup(
  app: AppServer,
  { guard, ...deps }: SetupDependencies & { guard: AdminGuard },
): void {
  app.get(
    "/api/adminsetup/get",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "The setup's answers, and what remains of the sample content",
        response,
      },
    },
    async () => ok(await viewSetup(deps)),
  );
  app.post(
    "/api/adminsetup/answers",
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Save setup answers without changing the site yet",
        body: answersBody.partial(),
        response,
      },
    },
    async ({ body }) => {
      await saveAnswers(deps, body);
      return ok(await viewSetup(deps));
    },
  );
  app.post(
    "/api/adminsetup/dismiss",
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Hide the setup checklist on the overview, or show it again",
        body: dismissBody,
        response,
      },
    },
    async ({ body }) => {
      await dismissSetup(deps, body.isDismissed);
      return ok(await viewSetup(deps));
    },
  );
}
