const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Allows the configured origins and the gateway's own. */
export const originCheck = (publicUrl: string, allowedOrigins: readonly string[]): ((origin: string) => boolean) => {
  const allowed = new Set(allowedOrigins);
  const own = new URL(publicUrl);
  allowed.add(own.origin);
  if (LOOPBACK.includes(own.hostname)) {
    for (const host of LOOPBACK) allowed.add(new URL(`${own.protocol}//${host}:${own.port}`).origin);
  }
  return (origin) => allowed.has(origin);
};
