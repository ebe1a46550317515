// Owns the start of a container: the service that serves FIRM_ROLE, or the gateway where FIRM_SERVICE says so.
const SERVICES = ["gateway", "ceo", "department", "service", "employee", "executive"] as const;
const { FIRM_SERVICE, FIRM_ROLE } = process.env;
const level = FIRM_ROLE?.split(":")[0];
const byRole =
  level === undefined || FIRM_ROLE?.includes(":") === true || level === "ceo" ? level : "executive";
const service = SERVICES.find((name) => name === (FIRM_SERVICE || byRole));
if (service === undefined) {
  process.stderr.write(
    `FIRM_ROLE: ${FIRM_ROLE ?? "is not set"}; set it to a role, e.g. department:engineering, or set FIRM_SERVICE=gateway\n`,
  );
  process.exit(2);
}
await import(new URL(`../../services/${service}/src/main.ts`, import.meta.url).href);

export {};
