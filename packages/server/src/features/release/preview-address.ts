/** The address of a preview of a run or a record: its home page, for the signed-in admin. */
export function previewAddress(id: string): string {
  return `/_preview/${id}/`;
}
