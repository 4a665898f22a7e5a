import type { ConsoleAssets } from "../features/admin-auth/console-assets.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { PanelOverview, PanelRuns } from "../features/admin-auth/overview-page.ts";
import { registerAdminPages } from "../features/admin-auth/pages.ts";
import { viewPassword } from "../features/admin-auth/password/own-password.ts";
import type { Health } from "../features/health/health.ts";
import { registerOverview } from "../features/overview/api.ts";
import { type OverviewDependencies, readOverview } from "../features/overview/overview.ts";
import { serializeRuns } from "../features/runs/serialize-run.ts";
import { listRuns } from "../features/runs/store.ts";
import { readAccountsSetting, readUpdateCheck } from "../features/settings/site-settings.ts";
import { readUpgradeNews } from "../features/upgrade/newer-version.ts";
import type { Db } from "../platform/db/connect.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Agents } from "./agents.ts";
import { emailState } from "./email.ts";
import type { Instance } from "./instance.ts";
import { readSetupState } from "./setup.ts";
import { socketArgument } from "./shared-port.ts";
import { canManageSites } from "./site-management.ts";

async function readRuns(db: Db): Promise<PanelRuns> {
  const [recent, ready, published] = await Promise.all([
    listRuns(db, { page: 1, perPage: 5 }),
    listRuns(db, { page: 1, perPage: 1, status: "preview_ready" }),
    listRuns(db, { page: 1, perPage: 1, status: "published" }),
  ]);
  return {
    recent: await serializeRuns(db, recent.rows),
    waiting: (await serializeRuns(db, ready.rows))[0] ?? null,
    live: (await serializeRuns(db, published.rows))[0] ?? null,
  };
}

function overviewDependencies(instance: Instance, agents: Agents): OverviewDependencies {
  const { database, clock, log } = instance;
  const { settings, ledger } = agents;
  return {
    db: database.db,
    clock,
    ledger,
    async readEmail() {
      const [state, { signUp }] = await Promise.all([
        emailState(instance, settings),
        readAccountsSetting(settings),
      ]);
      return { isSet: state.set, canSignUp: signUp !== "closed", stuck: state.stuck };
    },
    async readUpgrade() {
      const isCheckOn = await readUpdateCheck(database.db);
      const { version } = instance;
      return readUpgradeNews(instance.config.paths, { version, now: clock.now(), isCheckOn });
    },
    onError: (part, error) =>
      log.error({ err: error, part }, "a part of the overview can't be read"),
  };
}

/**
 * The content of the overview; reading it counts as a visit. Parts that can't be read are left out.
 */
async function panelOverview(
  instance: Instance,
  agents: Agents,
  check: () => Promise<Health>,
): Promise<PanelOverview> {
  const { database, log } = instance;
  const orElse = async <T>(part: string, task: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await task;
    } catch (error) {
      log.error({ err: error, part }, "a part of the panel can't be read");
      return otherwise;
    }
  };
  const [runs, health, setup, news] = await Promise.all([
    orElse("runs", readRuns(database.db), null),
    orElse("health", check(), null),
    orElse("setup", readSetupState(instance, agents), { open: [], start: null }),
    readOverview(overviewDependencies(instance, agents), { isVisit: true }),
  ]);
  return { runs, setup, news, health };
}

interface PanelDependencies {
  guard: AdminGuard;
  agents: Agents;
  assets: ConsoleAssets;
  check(): Promise<Health>;
}

/** The admin pages, and the routes for what needs the owner. */
export function registerPanel(
  app: AppServer,
  instance: Instance,
  { guard, agents, assets, check }: PanelDependencies,
): void {
  const {
    config,
    database: { db },
  } = instance;
  registerOverview(app, { guard, ...overviewDependencies(instance, agents) });
  registerAdminPages(app, {
    assets,
    site: {
      get ownerName() {
        return config.owner.name;
      },
      get timeZone() {
        return config.owner.timeZone;
      },
      hasSites: canManageSites(config, socketArgument(process.argv)),
    },
    findSession: (request) => guard.findSession(request),
    hasPassword: async () => (await viewPassword(db)).isSet,
    overview: () => panelOverview(instance, agents, check),
    uploads: config.limits.media,
  });
}
