import type { Webhook } from "../../contract/abilities.ts";

/**
 * Serves `GET /channels/<channel>/origin`: whether the page that asks may open a socket. A browser hides the reason of a
 * refused socket from scripts, so the widget asks here and writes the answer to the console, for the integrator.
 */
export const originRoute = (channel: string, mayOpen: (origin: string) => boolean): Webhook => ({
  method: "GET",
  path: "origin",
  maxBodyBytes: 0,
  async handle({ headers: { origin } }) {
    const allowed = origin === undefined || mayOpen(origin);
    const message = allowed
      ? undefined
      : `the origin ${origin} is not allowed: add "${origin}" to channels.${channel}.allowedOrigins of the gateway and restart it`;
    return {
      status: 200,
      headers: {
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
        vary: "origin",
        "content-type": "application/json; charset=utf-8",
        "x-content-type-options": "nosniff",
      },
      body: JSON.stringify({ allowed, message }),
    };
  },
});
