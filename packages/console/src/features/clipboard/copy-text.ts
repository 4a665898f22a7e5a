/** Puts a text into the clipboard; also where the page is not served over HTTPS. */
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
    // Where the clipboard's own interface is missing, only this remains.
    const copied = document.execCommand("copy");
    field.remove();
    if (origin instanceof HTMLElement) origin.focus();
    if (!copied) throw new Error("Your browser doesn’t let this page copy.");
  }
}
