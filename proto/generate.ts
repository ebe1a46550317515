// Writes the generated documents of proto/; run it after a change to libs/protocol (`npm run proto`).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { asyncApiText } from "./asyncapi.ts";
import { SCHEMA_NAMES, schemaFile, schemaText } from "./schemas.ts";

const schemas = new URL("schemas/", import.meta.url);
mkdirSync(schemas, { recursive: true });
for (const old of readdirSync(schemas)) rmSync(new URL(old, schemas));
for (const name of SCHEMA_NAMES) writeFileSync(new URL(schemaFile(name), schemas), schemaText(name));
writeFileSync(new URL("asyncapi.yaml", import.meta.url), asyncApiText());
console.log(`${SCHEMA_NAMES.length} schemas and asyncapi.yaml written`);
