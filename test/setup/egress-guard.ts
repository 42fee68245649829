import dns from "node:dns";
import net from "node:net";

/** Tests may connect to this machine only; other addresses are refused before a packet is sent. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "::ffff:127.0.0.1" || /^127(\.\d{1,3}){3}$/.test(host);

const refuse = (host: string): never => {
  throw new Error(`egress guard: a test tried to reach "${host}"; only loopback is allowed`);
};

const guard = (): void => {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guardedConnect(this: net.Socket, ...args: unknown[]) {
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const host =
      typeof first === "object" && first !== null
        ? "path" in first && first.path
          ? "localhost"
          : (first as { host?: string }).host
        : typeof args[1] === "string"
          ? args[1]
          : "localhost";
    if (!isLoopback(host ?? "localhost")) refuse(host ?? "");
    return Reflect.apply(connect, this, args);
  } as typeof connect;

  const lookup = dns.lookup;
  dns.lookup = ((hostname: string, ...rest: unknown[]) => {
    if (!isLoopback(hostname)) refuse(hostname);
    return Reflect.apply(lookup, dns, [hostname, ...rest]);
  }) as typeof lookup;
};

// Test files that share a process share its sockets, so one guard covers them.
if (net.Socket.prototype.connect.name !== "guardedConnect") guard();
