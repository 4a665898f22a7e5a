/** The sections of the settings page in order: fragment and title. */
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
  ["targets", "Publish targets"],
  ["updates", "Updates"],
  ["password", "Password"],
  ["access", "Sign-ins and tokens"],
] as const;
