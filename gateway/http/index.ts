export { bearerToken, configuredDigest, digestOf } from "./credentials.ts";
export { toHttpError } from "./http-error.ts";
export { type HttpListener, openHttpListener } from "./http-listener.ts";
export { isLoopbackName, markAuthenticated } from "./limit-requests.ts";
export { createReadiness, type Readiness } from "./readiness.ts";
export { createServer } from "./server.ts";
export { SignInGuard } from "./sign-in-guard.ts";
