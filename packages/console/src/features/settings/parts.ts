/** The parts of the settings page in their order: the address's fragment and the title. */
export const settingsParts = [
  ["owner", "Site owner"],
  ["theme", "Theme"],
  ["model", "Model"],
  ["budgets", "Budgets"],
  ["mail", "Email"],
  ["identity", "Identity providers"],
  ["accounts", "Accounts"],
  ["tasks", "Task queue"],
  ["autofix", "QA autofix"],
  ["changelog", "Changelog"],
  ["password", "Password"],
  ["access", "Sign-ins and tokens"],
] as const;
