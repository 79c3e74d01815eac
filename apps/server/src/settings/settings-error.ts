/** A start-up fault with one line that names the setting and the rule. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
