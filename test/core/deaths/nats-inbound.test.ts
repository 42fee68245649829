import { inboundDeaths } from "./inbound-deaths.ts";

inboundDeaths("nats");
