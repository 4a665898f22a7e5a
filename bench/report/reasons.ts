/** Why targets are missed, by the bench's name and the figure's id. */
export const reasons: Record<string, string> = {};
