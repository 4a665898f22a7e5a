/** Copies a text to the clipboard, even on a page without HTTPS. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    const origin = document.activeElement;
    document.body.append(field);
    field.select();
    // Without the Clipboard API, this is the only way.
    const copied = document.execCommand("copy");
    field.remove();
    if (origin instanceof HTMLElement) origin.focus();
    if (!copied) throw new Error("Your browser doesn’t let this page copy.");
  }
}
