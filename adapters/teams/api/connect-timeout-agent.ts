import { Agent } from "node:https";
import type { Clock } from "../../../core/contract/ports/clock.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** Below the idle timeout of servers: a request on a connection that was just closed would have an unknown outcome. */
const IDLE_TIMEOUT_MS = 4_000;

type Connect = Agent["createConnection"];

/**
 * HTTPS agent with a connect timeout. A call that is aborted after its connection stands has an unknown outcome; a call
 * without a connection was certainly not sent.
 */
export class ConnectTimeoutAgent extends Agent {
  readonly #clock: Pick<Clock, "after">;

  constructor(clock: Pick<Clock, "after">) {
    super({ keepAlive: true, timeout: IDLE_TIMEOUT_MS });
    this.#clock = clock;
  }

  override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
    const socket = super.createConnection(options, callback);
    const timer = this.#clock.after(CONNECT_TIMEOUT_MS, () => socket?.destroy(new NotConnected()));
    for (const event of ["secureConnect", "close"]) socket?.once(event, () => timer.cancel());
    return socket;
  }
}

class NotConnected extends Error {
  readonly code = NO_CONNECTION;

  constructor() {
    super(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
  }
}

/** Error code of a connect timeout. */
const NO_CONNECTION = "ENOCONNECTION";

/** Codes that occur only while a connection is being made. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  NO_CONNECTION,
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EADDRNOTAVAIL",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);
/** https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes */
const BAD_CERTIFICATE = /^(UNABLE_TO|CERT|CRL)_/;

/** Codes that can occur at any time; the message says when. An empty message means that all addresses of a name failed. */
const AT_ANY_TIME: ReadonlySet<string> = new Set(["ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EHOSTDOWN"]);
const WHILE_CONNECTING = /^$|^connect /;
const WHILE_ENCRYPTING = /before secure TLS connection was established|SSL routines:.*:wrong version number/;

/** True if a call certainly failed before it was sent. */
export const wasNeverSent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (BEFORE_SENDING.has(code) || BAD_CERTIFICATE.test(code) || WHILE_ENCRYPTING.test(message)) return true;
  return AT_ANY_TIME.has(code) && WHILE_CONNECTING.test(message);
};
