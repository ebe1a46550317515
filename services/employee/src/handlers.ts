// Owns what an employee does with its work: its agent does it; what there is at the deadline rises as partial.
export { workingHandler as employeeHandler } from "@firm/roles";
