import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Recorder } from "../../fakes/recorder.ts";

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PAGE = `<html><head><title>Tides</title></head><body><nav>menu</nav><article><h1>Tides today</h1><p>High water
is at 14:20. The harbour master says that ships should wait for the flood before they leave the harbour.</p></article></body></html>`;

/** The service behind HTTP tools and the pages of fetch_url. Requests to /hang and /slow wait for release(). */
export class ToolService {
  readonly received = new Recorder<ServiceRequest>();
  #waiting: (() => void)[] = [];
  readonly #server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { url: path = "", method = "", headers } = request;
    this.received.add({ method, path, headers, body });
    const send = (status: number, type: string, text: string | Buffer, more = {}) =>
      response.writeHead(status, { "content-type": type, ...more }).end(text);
    if (path.startsWith("/hang")) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (path.startsWith("/big")) return send(200, "text/plain", "x".repeat(60_000));
    if (path.startsWith("/secret")) return send(200, "text/plain", `you sent ${headers.authorization}`);
    if (path.startsWith("/moved")) return send(302, "text/plain", "", { location: "http://127.0.0.1:1/elsewhere" });
    if (path.startsWith("/near")) return send(302, "text/plain", "", { location: "/page" });
    if (path.startsWith("/broken")) return send(500, "text/plain", "out of order");
    if (path.startsWith("/image")) return send(200, "image/png", Buffer.alloc(9));
    if (path.startsWith("/page")) return send(200, "text/html; charset=utf-8", PAGE);
    if (path.startsWith("/deep")) return send(200, "text/html", "<div>".repeat(100_000));
    return send(200, "application/json", JSON.stringify({ answered: method, path, body }));
  });

  static async start(): Promise<ToolService> {
    const service = new ToolService();
    await once(service.#server.listen(0, "127.0.0.1"), "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests to a path, without its query. */
  requests(path: string): readonly ServiceRequest[] {
    return this.received.items.filter((request) => request.path.split("?")[0] === path);
  }

  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async stop(): Promise<void> {
    this.release();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
