export { toHttpError } from "./error-responses.ts";
export { type HttpListener, openHttpListener } from "./http-listener.ts";
export { isLoopbackName, markAuthenticated } from "./limit-requests.ts";
export { metricsGate } from "./metrics.ts";
export { createReadiness, type Readiness } from "./readiness.ts";
export { createServer } from "./server.ts";
export { bearerToken, configuredDigest, digestOf, SignInGuard } from "./sign-in-guard.ts";
