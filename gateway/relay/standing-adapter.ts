import { isSocketAdapter, isWebhookAdapter, type Webhook } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";

/**
 * Stands for the adapter of a channel in routes and lists, which are fixed at the start, while a reload replaces the
 * adapter behind it.
 */
export class StandingAdapter {
  /** Every call reaches the adapter in use. */
  readonly adapter: ChannelAdapter;
  #inUse: ChannelAdapter;
  readonly #routes: string;

  constructor(first: ChannelAdapter) {
    this.#inUse = first;
    this.#routes = routesOf(first);
    const webhooks = isWebhookAdapter(first) ? first.webhooks.map((webhook) => this.#standing(webhook)) : undefined;
    this.adapter = new Proxy<ChannelAdapter>(first, {
      has: (_target, name) => Reflect.has(this.#inUse, name),
      get: (_target, name) => {
        if (name === "webhooks") return webhooks;
        const value: unknown = Reflect.get(this.#inUse, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => Reflect.apply(Reflect.get(this.#inUse, name), this.#inUse, args);
      },
    });
  }

  /** Whether the adapter has the routes with which the server was started. */
  fits(next: ChannelAdapter): boolean {
    return routesOf(next) === this.#routes;
  }

  use(next: ChannelAdapter): void {
    this.#inUse = next;
  }

  #standing({ method, path, maxBodyBytes }: Webhook): Webhook {
    const inUse = (): Webhook | undefined =>
      isWebhookAdapter(this.#inUse)
        ? this.#inUse.webhooks.find((each) => each.method === method && each.path === path)
        : undefined;
    return {
      method,
      path,
      maxBodyBytes,
      refuse: async (head) => inUse()?.refuse?.(head),
      handle: async (request) => (await inUse()?.handle(request)) ?? { status: 503 },
    };
  }
}

/** The properties of an adapter that its routes and the socket server have at the start. */
const routesOf = (adapter: ChannelAdapter): string =>
  JSON.stringify({
    webhooks: isWebhookAdapter(adapter) ? adapter.webhooks.map(routeOf) : [],
    socket: isSocketAdapter(adapter) ? adapter.socket : undefined,
  });

const routeOf = ({ method, path, maxBodyBytes }: Webhook) => ({ method, path, maxBodyBytes });
