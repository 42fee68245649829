import { inboundCrashes } from "./inbound-crashes.ts";

inboundCrashes("nats");
