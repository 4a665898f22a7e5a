/** What the description of the API says of every route of runs. */
export const consoleRoute = { tags: ["console"], security: [{ session: [] }] };
