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
  "portability",
  "accounts",
  "members",
  "runs",
  "tasks",
  "qa",
  "backup",
];
/** Features that use no other. */
const alone = ["health", "accounts", "contact"];

const tests = "\\.test\\.tsx?$";
/** The files that a process calls: routes, runner routes, commands, pages. */
const doors = "/(api|runner|cli|pages|preview|gate|guard)\\.ts$";

function upward(feature, index) {
  const allowed = [...order.slice(0, index), feature].join("|");
  return {
    name: `${feature}-imports-only-below`,
    severity: "error",
    from: { path: `^src/features/${feature}/`, pathNot: tests },
    to: {
      path: "^src/features/",
      pathNot: [`^src/features/(${allowed})/`, "^src/features/admin-auth/guard\\.ts$"],
    },
  };
}

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "kit-imports-kit",
      severity: "error",
      from: { path: "^src/kit/", pathNot: tests },
      to: { path: "^(src|console|scripts|test|bench)/", pathNot: "^src/kit/" },
    },
    {
      name: "platform-imports-platform-and-kit",
      severity: "error",
      from: { path: "^src/platform/", pathNot: tests },
      to: { path: "^(src|console|scripts|test|bench)/", pathNot: "^src/(platform|kit)/" },
    },
    {
      name: "logic-knows-no-http",
      severity: "error",
      from: { path: "^src/features/", pathNot: [tests, doors] },
      to: { path: "^src/platform/http/" },
    },
    {
      name: "only-processes-open-doors",
      severity: "error",
      from: { path: "^src/features/([^/]+)/", pathNot: tests },
      to: {
        path: `^src/features/.*${doors}`,
        pathNot: ["^src/features/$1/", "^src/features/admin-auth/guard\\.ts$"],
      },
    },
    {
      name: "logic-knows-no-door",
      severity: "error",
      from: { path: "^src/features/", pathNot: [tests, doors] },
      to: { path: `^src/features/.*${doors}` },
    },
    ...order.map(upward),
    ...alone.map((feature) => ({
      name: `${feature}-imports-no-feature`,
      severity: "error",
      from: { path: `^src/features/${feature}/`, pathNot: tests },
      to: {
        path: "^src/features/",
        pathNot: [`^src/features/${feature}/`, "^src/features/admin-auth/guard\\.ts$"],
      },
    })),
    {
      name: "install-imports-only-admin-auth",
      severity: "error",
      from: { path: "^src/features/install/", pathNot: tests },
      to: { path: "^src/features/", pathNot: "^src/features/(install|admin-auth)/" },
    },
    {
      name: "only-bin-imports-processes",
      severity: "error",
      from: { pathNot: ["^(bin|test|bench|scripts|src/processes)/", tests] },
      to: { path: "^src/processes/" },
    },
    {
      name: "console-is-its-own",
      severity: "error",
      from: { path: "^console/", pathNot: tests },
      to: { path: "^(src|scripts|test|bench)/", pathNot: "^src/features/.+/schema\\.ts$" },
    },
    {
      name: "console-takes-types-only",
      severity: "error",
      from: { path: "^console/", pathNot: tests },
      to: { path: "^src/features/", dependencyTypesNot: ["type-only"] },
    },
    {
      // The pictures, faults and soak show the product as the tests run it: beside a scripted model.
      name: "no-test-code-in-the-product",
      severity: "error",
      from: {
        path: "^(src|console|scripts)/",
        pathNot: [tests, "^scripts/((make-)?pictures[./]|(faults|soak)\\.ts$)"],
      },
      to: { path: ["^(test|bench)/", tests] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types"],
    },
  },
};
