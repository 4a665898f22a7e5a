/** The import table of docs/architecture.md, enforced. */

/** Features from low to high: a feature's logic may use the logic of those before it. */
const order = [
  "admin-auth",
  "settings",
  "media",
  "changelog",
  "workspace",
  "agent",
  "resources",
  "projects",
  "design",
  "release",
  "storage",
  "publish-targets",
  "portability",
  "accounts",
  "contact",
  "members",
  "runs",
  "setup",
  "pages",
  "tasks",
  "qa",
  "overview",
  "backup",
  "upgrade",
  "database-move",
];
/** Features that use no other. */
const alone = ["health", "metrics", "accounts", "contact", "deploy", "sites"];

/** The console's layers from low to high; each uses itself and those before it. */
const consoleLayers = ["ui", "api", "features"];

const tests = "\\.test\\.tsx?$";
/** The files that a process calls: routes, runner routes, commands, pages. */
const doors = "/((api|runner|cli|pages|preview|runner-proxy|guard)|routes/[a-z-]+)\\.ts$";

function upward(feature, index) {
  const allowed = [...order.slice(0, index), feature].join("|");
  return {
    name: `${feature}-imports-only-below`,
    severity: "error",
    from: { path: `^packages/server/src/features/${feature}/`, pathNot: tests },
    to: {
      path: "^packages/server/src/features/",
      pathNot: [
        `^packages/server/src/features/(${allowed})/`,
        "^packages/server/src/features/admin-auth/guard\\.ts$",
      ],
    },
  };
}

function consoleUpward(layer, index) {
  const allowed = consoleLayers.slice(0, index + 1).join("|");
  return {
    name: `console-${layer}-imports-only-below`,
    severity: "error",
    from: { path: `^packages/console/src/${layer}/` },
    to: { path: "^packages/console/src/", pathNot: `^packages/console/src/(${allowed})/` },
  };
}

/** The two shells of the console know nothing of each other. */
function consoleShell(shell) {
  const allowed = [...consoleLayers, shell].join("|");
  return {
    name: `console-${shell}-knows-no-other-shell`,
    severity: "error",
    from: { path: `^packages/console/src/${shell}/` },
    to: { path: "^packages/console/src/", pathNot: `^packages/console/src/(${allowed})/` },
  };
}

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "kit-imports-kit",
      severity: "error",
      from: { path: "^packages/server/src/kit/", pathNot: tests },
      to: { path: "^(packages|scripts|test|bench)/", pathNot: "^packages/server/src/kit/" },
    },
    {
      name: "platform-imports-platform-and-kit",
      severity: "error",
      from: { path: "^packages/server/src/platform/", pathNot: tests },
      to: {
        path: "^(packages|scripts|test|bench)/",
        pathNot: ["^packages/server/src/(platform|kit)/", "^packages/qa/src/system/"],
      },
    },
    {
      name: "logic-knows-no-http",
      severity: "error",
      from: { path: "^packages/server/src/features/", pathNot: [tests, doors] },
      to: { path: "^packages/server/src/platform/http/" },
    },
    {
      name: "only-processes-open-doors",
      severity: "error",
      from: { path: "^packages/server/src/features/([^/]+)/", pathNot: tests },
      to: {
        path: `^packages/server/src/features/.*${doors}`,
        pathNot: [
          "^packages/server/src/features/$1/",
          "^packages/server/src/features/admin-auth/guard\\.ts$",
        ],
      },
    },
    {
      name: "logic-knows-no-door",
      severity: "error",
      from: { path: "^packages/server/src/features/", pathNot: [tests, doors] },
      to: { path: `^packages/server/src/features/.*${doors}` },
    },
    ...order.map(upward),
    ...alone.map((feature) => ({
      name: `${feature}-imports-no-feature`,
      severity: "error",
      from: { path: `^packages/server/src/features/${feature}/`, pathNot: tests },
      to: {
        path: "^packages/server/src/features/",
        pathNot: [
          `^packages/server/src/features/${feature}/`,
          "^packages/server/src/features/admin-auth/guard\\.ts$",
        ],
      },
    })),
    {
      name: "install-imports-only-admin-auth",
      severity: "error",
      from: { path: "^packages/server/src/features/install/", pathNot: tests },
      to: {
        path: "^packages/server/src/features/",
        pathNot: "^packages/server/src/features/(install|admin-auth)/",
      },
    },
    {
      name: "only-bin-imports-processes",
      severity: "error",
      from: { pathNot: ["^(test|bench|scripts|packages/server/(bin|src/processes))/", tests] },
      to: { path: "^packages/server/src/processes/" },
    },
    {
      name: "qa-is-its-own",
      severity: "error",
      from: { path: "^packages/qa/", pathNot: tests },
      to: { path: "^(packages/(server|console|template)|scripts|test|bench)/" },
    },
    {
      name: "console-is-its-own",
      severity: "error",
      from: { path: "^packages/console/", pathNot: tests },
      to: {
        path: "^(packages/(server|qa|template)|scripts|test|bench)/",
        pathNot: "^packages/server/src/features/.+/schema\\.ts$",
      },
    },
    {
      name: "console-takes-types-only",
      severity: "error",
      from: { path: "^packages/console/", pathNot: tests },
      to: { path: "^packages/server/src/features/", dependencyTypesNot: ["type-only"] },
    },
    ...consoleLayers.map(consoleUpward),
    ...["overlay", "admin"].map(consoleShell),
    {
      name: "console-has-layers",
      severity: "error",
      from: {
        path: "^packages/console/src/[^/]+/",
        pathNot: "^packages/console/src/(ui|api|features|overlay|admin)/",
      },
      to: {},
    },
    {
      // The screenshots, faults, soak and `npm run dev` have the product beside a scripted model, as tests do.
      name: "no-test-code-in-the-product",
      severity: "error",
      from: {
        path: "^(packages|scripts)/",
        pathNot: [tests, "^scripts/((make-)?screenshots[./]|dev/|(faults|soak)\\.ts$)"],
      },
      to: { path: ["^(test|bench)/", tests] },
    },
  ],
  options: {
    exclude: { path: "^packages/[^/]+/dist/" },
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types"],
    },
  },
};
