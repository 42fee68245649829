import { digestDeaths } from "./digest-deaths.ts";
import { embeddedPlace } from "./places.ts";

digestDeaths("the embedded backbone", embeddedPlace);
