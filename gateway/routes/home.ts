import type { FastifyInstance } from "fastify";
import { isWebhookAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { channelPath } from "./channel-path.ts";
import { homePage } from "./home-page.ts";

/** What somebody sees who opens the gateway's address in a browser. */
export const homeRoute = (app: FastifyInstance, adapters: readonly ChannelAdapter[]): void => {
  const page = homePage(widgetPath(adapters));
  app.get("/", async (_request, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", page.contentSecurityPolicy)
      .send(page.html),
  );
};

/** The first channel that serves a widget. */
const widgetPath = (adapters: readonly ChannelAdapter[]): string | undefined => {
  const adapter = adapters.find((each) => isWebhookAdapter(each) && each.webhooks.some(({ path }) => path === WIDGET));
  return adapter === undefined ? undefined : channelPath(adapter.channel, WIDGET);
};

const WIDGET = "widget.js";
