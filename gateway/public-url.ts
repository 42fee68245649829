/** The configured public address; defaults to the gateway's host and port. */
export const publicUrl = (gateway: { host: string; port: number; publicUrl?: string | undefined }): string =>
  gateway.publicUrl ?? `http://${reachable(gateway.host)}:${gateway.port}`;

const reachable = (host: string): string => {
  if (["0.0.0.0", "::", "127.0.0.1", "::1"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};
