import { natsPlaces } from "../places.ts";
import { digestDeaths } from "./digest-deaths.ts";

digestDeaths("NATS", natsPlaces());
