/** The OpenAPI description shared by all routes of runs. */
export const consoleRoute = { tags: ["console"], security: [{ session: [] }] };
