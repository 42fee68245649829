import { natsData } from "./backbone-data.ts";
import { relayCrashes } from "./relay-crashes.ts";

relayCrashes("NATS", natsData());
