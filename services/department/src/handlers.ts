// Owns what a department does with its work: it delegates to each of its reports and condenses what they bring.
export { delegatingHandler as departmentHandler } from "@firm/roles";
