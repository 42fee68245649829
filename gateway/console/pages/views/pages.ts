import type { ComponentType } from "preact";
import type { Route } from "../routing/route.ts";
import { ChannelsPage } from "./channels-page.tsx";

interface ConsolePage {
  /** As it stands in addresses. */
  readonly name: string;
  /** In the list of pages; without one it is reached from others. */
  readonly title?: string;
  /** The page of that list that it belongs to. */
  readonly partOf?: string;
  readonly View: ComponentType<{ route: Route }>;
}

/** Every page there is. */
export const pages: readonly ConsolePage[] = [{ name: "channels", title: "Channels", View: ChannelsPage }];
