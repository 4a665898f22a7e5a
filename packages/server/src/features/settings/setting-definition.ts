/** A setting: its name, and whether its value is a secret, which is stored encrypted. */
export interface SettingDefinition {
  name: string;
  secret: boolean;
  description: string;
  /** The text to store for an input. Throws `validation_failed`. */
  check?(input: string): string;
  /** Why a change rebuilds the site, as a text; undefined if pages don't show the setting. */
  rebuild?: string;
}
