import { embeddedPlace } from "./places.ts";
import { relayDeaths } from "./relay-deaths.ts";

relayDeaths("the embedded backbone", embeddedPlace);
