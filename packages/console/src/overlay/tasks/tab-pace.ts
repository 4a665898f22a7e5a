/** Polling intervals of the queue while its tab is shown, in ms. */
export const tabPace = { moving: 2000, resting: 3000, hidden: false } as const;
