import "./settings.css";

import { type ReactElement, useEffect } from "react";

import { PageHeader } from "../../ui/PageHeader.tsx";
import { AccountsSection } from "./AccountsSection.tsx";
import { AutofixSection } from "./AutofixSection.tsx";
import { BudgetSection } from "./BudgetSection.tsx";
import { ChangelogSection } from "./ChangelogSection.tsx";
import { IdentitySection } from "./IdentitySection.tsx";
import { ThemeSection } from "./ThemeSection.tsx";
import { EmailSection } from "./EmailSection.tsx";
import { ModelSection } from "./ModelSection.tsx";
import { OwnerSection } from "./OwnerSection.tsx";
import { settingsParts } from "./parts.ts";
import { PasswordSection } from "./PasswordSection.tsx";
import { TargetsSection } from "./TargetsSection.tsx";
import { TasksSection } from "./TasksSection.tsx";
import { SettingsSection } from "./SettingsSection.tsx";
import { UpdatesSection } from "./UpdatesSection.tsx";

/** Former names of sections, which the README of installed sites links to. */
const formerNames: Readonly<Record<string, string>> = { look: "theme" };

/** Scrolls to the section in the address, which isn't rendered yet when the browser tries. */
function useNamedPart(): void {
  useEffect(() => {
    const hash = location.hash.slice(1);
    const name = Object.hasOwn(formerNames, hash) ? formerNames[hash] : hash;
    if (name) document.getElementById(name)?.scrollIntoView();
  }, []);
}

function AccessSection(): ReactElement {
  return (
    <SettingsSection
      id="access"
      title="Sign-ins and tokens"
      about="Attempts to sign in as the admin, and programs that use the API on your behalf."
    >
      <ul className="ways">
        <li>
          <a href="/admin/log">Sign-ins</a>
          <span className="muted">Every attempt, newest first</span>
        </li>
        <li>
          <a href="/admin/tokens">API tokens</a>
          <span className="muted">Create and revoke tokens and see when they were last used</span>
        </li>
      </ul>
    </SettingsSection>
  );
}

/** The settings page; each section is saved separately. */
export function SettingsPage(): ReactElement {
  useNamedPart();
  return (
    <div className="page settings">
      <PageHeader title="Settings" />
      <nav className="settings-parts" aria-label="Parts of the settings">
        <ul>
          {settingsParts.map(([id, title]) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <OwnerSection />
      <ThemeSection />
      <ModelSection />
      <BudgetSection />
      <div id="mail" tabIndex={-1}>
        <EmailSection />
      </div>
      <IdentitySection />
      <AccountsSection />
      <TasksSection />
      <AutofixSection />
      <ChangelogSection />
      <TargetsSection />
      <UpdatesSection />
      <PasswordSection />
      <AccessSection />
    </div>
  );
}
