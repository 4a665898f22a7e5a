/** Where a preview, a run's or a record's, is: its home page, for the signed-in admin. */
export function previewAddress(id: string): string {
  return `/_preview/${id}/`;
}
