import { inboundCrashes } from "./inbound-crashes.ts";

inboundCrashes("embedded");
