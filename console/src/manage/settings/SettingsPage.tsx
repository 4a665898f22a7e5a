import "../../styles/settings.css";

import type { ReactElement } from "react";

import { BudgetSection } from "./BudgetSection.tsx";
import { MailSection } from "./MailSection.tsx";
import { ModelSection } from "./ModelSection.tsx";

/** The page of what the owner sets: the model, what it may take, how mail leaves. */
export function SettingsPage(): ReactElement {
  return (
    <div className="page settings">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <ModelSection />
      <BudgetSection />
      <MailSection />
    </div>
  );
}
