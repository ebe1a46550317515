// Owns `npm run compose`: docker-compose.yml for the org chart of deploy/compose/firm.yaml.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseConfig } from "@firm/config";
import { GID, membersOf, OPERATOR_UID, type Member } from "./members.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const HEAD = `# Firm in containers: NATS, the gateway twice, one container for each role. Written by \`npm run compose\` from
# deploy/compose/firm.yaml; docs/deploy-compose.md explains it. Settings: .env.example.
name: firm

x-process: &process
  image: \${FIRM_IMAGE:-firm:latest}
  restart: unless-stopped
  read_only: true
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  tmpfs: ["/tmp:size=64m,mode=1777"]
  networks: [bus]
  stop_grace_period: 15s
  volumes:
    - "credentials:/run/firm:ro"
    - "state:/var/lib/firm"
    - "./deploy/compose/firm.yaml:/etc/firm/firm.yaml:ro"
  depends_on:
    init: { condition: service_completed_successfully }
    bus-init: { condition: service_completed_successfully }

x-environment: &environment
  FIRM_NATS_URL: nats://nats:4222
  FIRM_CONFIG: /etc/firm/firm.yaml
  FIRM_LOG_LEVEL: \${FIRM_LOG_LEVEL:-info}
  OTEL_EXPORTER_OTLP_ENDPOINT: \${OTEL_EXPORTER_OTLP_ENDPOINT:-}

services:
  # Makes what is missing of the credentials and gives each to its reader; the only container that is root, for a moment.
  init:
    image: \${FIRM_IMAGE:-firm:latest}
    build: { context: ., dockerfile: deploy/docker/Dockerfile, target: firm, args: { NODE_IMAGE: "\${NODE_IMAGE:-node:24-bookworm-slim}" } }
    user: "0:${GID}"
    entrypoint: [node, --disable-warning=ExperimentalWarning, /app/deploy/compose/init.ts]
    environment: { FIRM_CONFIG: /etc/firm/firm.yaml }
    network_mode: none
    read_only: true
    cap_drop: [ALL]
    cap_add: [CHOWN, DAC_OVERRIDE, FOWNER]
    security_opt: ["no-new-privileges:true"]
    tmpfs: ["/tmp:size=64m,mode=1777"]
    restart: "no"
    healthcheck: { disable: true }
    volumes:
      - "credentials:/run/firm"
      - "state:/var/lib/firm"
      - "./deploy/compose/firm.yaml:/etc/firm/firm.yaml:ro"

  nats:
    image: \${NATS_IMAGE:-nats:2.12}
    command: ["-c", "/run/firm/.firm/creds/nats-server.conf"]
    restart: unless-stopped
    networks: [bus, outside]
    ports: ["\${FIRM_NATS_ADDRESS:-127.0.0.1}:\${FIRM_NATS_PORT:-4222}:4222"]
    stop_grace_period: 30s
    volumes: ["credentials:/run/firm:ro", "jetstream:/data"]
    depends_on:
      init: { condition: service_completed_successfully }

  # Streams, durables, buckets; applies changed limits.
  bus-init:
    image: \${FIRM_IMAGE:-firm:latest}
    user: "${OPERATOR_UID}:${GID}"
    entrypoint: [firm, --dir, /tmp, --config, /etc/firm/firm.yaml, bus, init]
    environment: { <<: *environment, FIRM_NKEY_FILE: /run/firm/.firm/creds/operator.nk }
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    tmpfs: ["/tmp:size=64m,mode=1777"]
    networks: [bus]
    restart: on-failure
    healthcheck: { disable: true }
    volumes: ["credentials:/run/firm:ro", "./deploy/compose/firm.yaml:/etc/firm/firm.yaml:ro"]
    depends_on:
      init: { condition: service_completed_successfully }
      nats: { condition: service_started }

`;

const TAIL = `  prometheus:
    profiles: [monitoring]
    image: \${PROMETHEUS_IMAGE:-prom/prometheus:v3.5.0}
    restart: unless-stopped
    networks: [bus, outside]
    ports: ["127.0.0.1:\${PROMETHEUS_PORT:-9090}:9090"]
    volumes: ["./deploy/prometheus:/etc/prometheus:ro", "prometheus:/prometheus"]

  grafana:
    profiles: [monitoring]
    image: \${GRAFANA_IMAGE:-grafana/grafana:12.3.0}
    restart: unless-stopped
    networks: [bus, outside]
    ports: ["127.0.0.1:\${GRAFANA_PORT:-3000}:3000"]
    volumes: ["./deploy/grafana/provisioning:/etc/grafana/provisioning:ro", "./deploy/grafana/dashboards:/var/lib/grafana/dashboards:ro"]

networks:
  bus: { internal: true }
  outside: {}

volumes:
  credentials: {}
  jetstream: {}
  state: {}
  prometheus: {}
`;

function service({ name, role, seed, uid }: Member): string {
  const what =
    role === undefined
      ? "FIRM_SERVICE: gateway, FIRM_TOKEN_KEY_FILE: /run/firm/.firm/creds/token.key"
      : `FIRM_ROLE: "${role}"`;
  const replicas = role === undefined ? "    deploy: { replicas: 2 }\n" : "";
  return `  ${name}:
    <<: *process
    user: "${uid}:${GID}"
${replicas}    environment: { <<: *environment, ${what}, FIRM_NKEY_FILE: /run/firm/.firm/creds/${seed} }
`;
}

/** The file's text. @param yaml the text of firm.yaml */
export function composeFile(yaml: string): string {
  return `${HEAD}${membersOf(parseConfig(yaml)).map(service).join("\n")}\n${TAIL}`;
}

if (import.meta.main) {
  const yaml = readFileSync(join(import.meta.dirname, "firm.yaml"), "utf8");
  writeFileSync(join(ROOT, "docker-compose.yml"), composeFile(yaml));
  process.stdout.write("docker-compose.yml written\n");
}
