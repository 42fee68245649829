import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** A request that a process refused or did not answer although its last probe was ready. */
export interface Refusal {
  readonly backend: string;
  readonly url: string;
  readonly why: string;
}

const PROBE_EVERY_MS = 100;

/**
 * A load balancer: it probes `/health/ready` of each gateway, sends requests and sockets to those that are ready in
 * turn over keep-alive connections, and never retries.
 */
export class ProbingProxy {
  readonly refusals: Refusal[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ready = new Set<string>();
  readonly #backends = new Set<string>();
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer({ keepAliveTimeout: 120_000 }, (incoming, outgoing) =>
    this.#forward(incoming, outgoing),
  );
  #probing: Promise<void> | undefined;
  #turn = 0;
  #closed = false;

  static async start(): Promise<ProbingProxy> {
    const proxy = new ProbingProxy();
    proxy.#server.on("upgrade", (incoming, socket, head) => proxy.#upgrade(incoming, socket, head));
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    proxy.#probing = proxy.#probe();
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(backend: string): void {
    this.#backends.add(backend);
  }

  /** Resolves once the proxy sends requests there. */
  async takesIn(backend: string): Promise<void> {
    while (!this.#ready.has(backend)) await delay(20);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#probing;
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #probe(): Promise<void> {
    for (; !this.#closed; await delay(PROBE_EVERY_MS)) {
      await Promise.all(
        [...this.#backends].map(async (backend) => {
          const answer = fetch(`${backend}/health/ready`, { signal: AbortSignal.timeout(2_000) });
          const isReady = await answer.then(
            ({ status }) => status === 200,
            () => false,
          );
          if (isReady) this.#ready.add(backend);
          else this.#ready.delete(backend);
        }),
      );
    }
  }

  #next(): string | undefined {
    const ready = [...this.#ready];
    return ready[this.#turn++ % ready.length];
  }

  #to(backend: string, { method, url, headers }: IncomingMessage, agent: Agent | false) {
    return request(`${backend}${url}`, { method, headers, agent });
  }

  #refused(backend: string, { url = "" }: IncomingMessage, why: string): void {
    this.refusals.push({ backend, url, why });
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const backend = this.#next();
    if (backend === undefined) {
      this.#refused("none", incoming, "no process is ready");
      return void outgoing.writeHead(502).end();
    }
    const forwarded = this.#to(backend, incoming, this.#agent);
    forwarded.on("response", (answer) => {
      if ((answer.statusCode ?? 0) >= 500) this.#refused(backend, incoming, `status ${answer.statusCode}`);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", (error) => {
      this.#refused(backend, incoming, error.message);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(forwarded);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const backend = this.#next();
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    if (backend === undefined) {
      this.#refused("none", incoming, "no process is ready");
      return void socket.destroy();
    }
    const forwarded = this.#to(backend, incoming, false);
    forwarded.on("upgrade", (answer, upstream, upstreamHead) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      socket.write(upstreamHead);
      upstream.write(head);
      upstream.on("error", () => socket.destroy()).once("close", () => socket.destroy());
      socket.once("close", () => upstream.destroy());
      upstream.pipe(socket).pipe(upstream);
    });
    forwarded.on("response", (answer) => {
      this.#refused(backend, incoming, `status ${answer.statusCode}`);
      answer.resume();
      socket.destroy();
    });
    forwarded.on("error", (error) => {
      this.#refused(backend, incoming, error.message);
      socket.destroy();
    });
    forwarded.end();
  }
}
