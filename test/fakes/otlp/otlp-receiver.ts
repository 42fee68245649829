import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { Recorder } from "../recorder.ts";

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  arrayValue: z.looseObject({ values: z.array(z.looseObject({ stringValue: z.string() })) }).optional(),
});
const Attributes = z.array(z.looseObject({ key: z.string(), value: Value }));
const Span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  endTimeUnixNano: z.union([z.string(), z.number()]),
  attributes: Attributes.default([]),
  status: z.looseObject({ code: z.int().optional() }).optional(),
});
const Request = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Resource attributes of the sending process. */
  readonly resource: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** How the receiver responds. "hang": never. */
export type Manner = "take" | "hang" | { readonly status: number };

/** A collector on a free local port: OTLP as JSON over HTTP. */
export class OtlpReceiver {
  readonly spans = new Recorder<ReceivedSpan>();
  /** The headers of each request, also of refused ones. */
  readonly requests = new Recorder<IncomingHttpHeaders>();
  /** The accepted request bodies. */
  text = "";
  manner: Manner = "take";
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      this.requests.add(request.headers);
      if (this.manner === "hang") return;
      if (this.manner !== "take") {
        // Some collectors repeat the request in their error response, including the key.
        return void response.writeHead(this.manner.status).end(JSON.stringify(request.headers));
      }
      this.text += body;
      for (const span of spansIn(Request.parse(JSON.parse(body)))) this.spans.add(span);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  /** Stops the server and closes all connections. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

const spansIn = ({ resourceSpans }: z.infer<typeof Request>): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: plain(attributes),
        resource: plain(resource.attributes),
        isError: status?.code === 2,
      })),
    ),
  );

const plain = (attributes: z.infer<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue, arrayValue } }) => [
      key,
      stringValue ??
        (intValue === undefined ? undefined : Number(intValue)) ??
        doubleValue ??
        boolValue ??
        arrayValue?.values.map((each) => each.stringValue),
    ]),
  );
