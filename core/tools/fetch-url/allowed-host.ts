import type { FetchUrlConfig } from "../config.ts";

/** Whether the operator allows every page of the host. */
export const isAllowedHost = ({ hosts }: FetchUrlConfig, { host }: Pick<URL, "host">): boolean =>
  hosts.some((allowed) => (allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed));
