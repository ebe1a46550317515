// Owns what a service does with its work: it delegates to each of its reports and condenses what they bring.
export { delegatingHandler as serviceHandler } from "@firm/roles";
