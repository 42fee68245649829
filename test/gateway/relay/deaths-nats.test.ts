import { natsPlaces } from "./places.ts";
import { relayDeaths } from "./relay-deaths.ts";

relayDeaths("NATS", natsPlaces());
