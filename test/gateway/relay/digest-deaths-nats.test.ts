import { digestDeaths } from "./digest-deaths.ts";
import { natsPlaces } from "./places.ts";

digestDeaths("NATS", natsPlaces());
