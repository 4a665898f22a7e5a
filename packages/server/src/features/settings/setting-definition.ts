/** A setting that exists: its name, and whether its value is a secret, which is stored sealed. */
export interface SettingDefinition {
  name: string;
  secret: boolean;
  description: string;
  /** The text to store for an input. Throws `validation_failed`. */
  check?(input: string): string;
  /** Why a change rebuilds the site, for people; left out where pages don't show the setting. */
  rebuild?: string;
}
