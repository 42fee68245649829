import { afterEach } from "vitest";
import type { WebGateway, WebGatewayOptions } from "./web-gateway.ts";
import { startWebGateway } from "./web-gateway.ts";

/** Starts gateways that stop after each test. */
export const runningGateways = (): ((options?: WebGatewayOptions) => Promise<WebGateway>) => {
  const running: WebGateway[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
  });
  return async (options) => {
    const gateway = await startWebGateway(options);
    running.push(gateway);
    return gateway;
  };
};
