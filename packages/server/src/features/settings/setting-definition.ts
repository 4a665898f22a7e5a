/** A setting that exists: its name, and whether its value is a secret, which is stored sealed. */
export interface SettingDefinition {
  name: string;
  secret: boolean;
  description: string;
  /** What is stored for what was said. Throws `validation_failed`. */
  check?(input: string): string;
  /** Why the site is to be made anew when it changes, for people; not said where pages don't show it. */
  rebuild?: string;
}
