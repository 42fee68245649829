export { bearerToken, configuredDigest, digestOf } from "./credentials.ts";
export { toHttpError } from "./http-error.ts";
export { type HttpListener, openHttpListener } from "./http-listener.ts";
export { createReadiness, type Readiness } from "./readiness.ts";
export { createServer } from "./server.ts";
