/** The code of a connection that was not there in time. */
export const NO_CONNECTION = "ENOCONNECTION";

/** These come while a connection is made, and at no other time. */
const BEFORE_THE_FIRST_WORD: ReadonlySet<string> = new Set([
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

/** These come at any time; the words say when. Without words, all addresses of a name were tried. */
const AT_ANY_TIME: ReadonlySet<string> = new Set(["ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EHOSTDOWN"]);
const WHILE_CONNECTING = /^$|^connect /;
const WHILE_ENCRYPTING = /before secure TLS connection was established|SSL routines:.*:wrong version number/;

/** Whether a call failed before anything of it was on its way. In doubt: no. */
export const wasNeverSent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (BEFORE_THE_FIRST_WORD.has(code) || BAD_CERTIFICATE.test(code) || WHILE_ENCRYPTING.test(message)) return true;
  return AT_ANY_TIME.has(code) && WHILE_CONNECTING.test(message);
};
