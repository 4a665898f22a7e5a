import type { FastifyReply } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { budgetDefinition, readBudget, type Settings } from "../settings/settings.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { ModelChoice } from "./model-choice.ts";
import { pricesOf } from "./model-prices.ts";
import { clearModel, type Prober, saveModel, testModel, viewModel } from "./model-settings.ts";
import {
  budgetBody,
  type BudgetView,
  budgetView,
  modelBody,
  modelView,
  noBody,
  testedModel,
} from "./schema.ts";

export interface ModelSettingRoutes {
  guard: AdminGuard;
  settings: Settings;
  choice: { current(): Promise<ModelChoice | null> };
  ledger: Pick<Ledger, "assertOpen" | "book" | "spent">;
  clock: Pick<Clock, "now">;
  /** Default limit on tokens per run (`limits.run.tokens`). */
  runTokens?: number;
  /** By default, tests the real model. */
  probe?: Prober;
}

const described = adminRoute("settings");
const failures = {
  429: errorEnvelope,
  502: errorEnvelope,
  503: errorEnvelope,
  ...adminErrorResponses,
};

/** The model clients are loaded for the first test, so that web starts without them. */
const probeOverTheWire: Prober = async ({ config, apiKey }, options) => {
  const [{ probeModel }, { languageModel }] = await Promise.all([
    import("./probe.ts"),
    import("./model.ts"),
  ]);
  return probeModel(languageModel(config, apiKey), options);
};

/** Aborts when the client disconnects. */
function whileConnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort(new Error("The caller has gone."));
  });
  return controller.signal;
}

function registerModel(app: AppServer, routes: ModelSettingRoutes): void {
  const { guard } = routes;
  const deps = { ...routes, probe: routes.probe ?? probeOverTheWire };
  const url = "/api/adminsettings/model";
  const change = [noStore, guard.requireAdmin("write")];
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "The current model, without its API key",
        response: { 200: envelope(modelView), ...adminErrorResponses },
      },
    },
    async () => ok(await viewModel(deps)),
  );
  app.post(
    url,
    {
      onRequest: change,
      schema: {
        ...described,
        summary: "Choose a model; it is tested first and saved if it answers",
        body: modelBody,
        response: { 200: envelope(testedModel), ...failures },
      },
    },
    async (request, reply) => ok(await saveModel(deps, request.body, whileConnected(reply))),
  );
  app.post(
    `${url}/test`,
    {
      onRequest: change,
      schema: {
        ...described,
        summary: "Test the current model's capabilities again",
        body: noBody,
        response: { 200: envelope(testedModel), ...failures },
      },
    },
    async (_request, reply) => ok(await testModel(deps, whileConnected(reply))),
  );
  app.post(
    `${url}/clear`,
    {
      onRequest: change,
      schema: {
        ...described,
        summary: "Remove the chosen model and its API key",
        body: noBody,
        response: { 200: envelope(modelView), ...adminErrorResponses },
      },
    },
    async () => ok(await clearModel(deps)),
  );
}

async function viewBudget(routes: ModelSettingRoutes): Promise<BudgetView> {
  const { settings, choice, ledger, runTokens } = routes;
  const current = await choice.current();
  return {
    ...(await readBudget(settings)),
    spent: await ledger.spent(),
    currency: current?.config.currency ?? null,
    priced: current !== null && pricesOf(current.config) !== null,
    usualRunTokens: runTokens ?? null,
  };
}

function registerBudget(app: AppServer, routes: ModelSettingRoutes): void {
  const { guard, settings } = routes;
  const url = "/api/adminsettings/budget";
  const response = { 200: envelope(budgetView), ...adminErrorResponses };
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "The models' limits for a run, a day and a month, and what is spent",
        response,
      },
    },
    async () => ok(await viewBudget(routes)),
  );
  app.post(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: { ...described, summary: "Set the models' limits", body: budgetBody, response },
    },
    async (request) => {
      await settings.set(budgetDefinition, JSON.stringify(request.body));
      return ok(await viewBudget(routes));
    },
  );
}

/** Model settings: reading them without the key, choosing and testing a model, and limits. */
export function registerModelSettings(app: AppServer, routes: ModelSettingRoutes): void {
  registerModel(app, routes);
  registerBudget(app, routes);
}
