import { embeddedPlace } from "../places.ts";
import { digestDeaths } from "./digest-deaths.ts";

digestDeaths("the embedded backbone", embeddedPlace);
