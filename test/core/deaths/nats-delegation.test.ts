import { delegationDeaths } from "./delegation-deaths.ts";

delegationDeaths("nats");
