#!/usr/bin/env bash
# Makes stand-ins for the base images where no registry can be reached: the Node base from Debian's packages and the Node of
# this repository's node_modules, the NATS image from a nats-server of this machine. They carry the names the Dockerfile and
# docker-compose.yml use, so that everything after this is built as ever. Where a prometheus is on PATH, its image is made too.
#
#   deploy/airgap/base-images.sh [--force]
#
# Needs docker, debootstrap and root for the Node base. FIRM_NATS_SERVER names the nats-server binary (default: from PATH),
# DEBIAN_MIRROR the mirror (default: the one of /etc/apt), NODE_EXTRA_CA_CERTS a certificate that npm needs in the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

NODE_IMAGE=${NODE_IMAGE:-node:24-bookworm-slim}
NATS_IMAGE=${NATS_IMAGE:-nats:2.12}
PROMETHEUS_IMAGE=${PROMETHEUS_IMAGE:-prom/prometheus:v3.5.0}
force=${1:-}

have() { [ "$force" != --force ] && docker image inspect "$1" >/dev/null 2>&1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if have "$NODE_IMAGE"; then
  echo "$NODE_IMAGE is here"
else
  node=${FIRM_NODE:-$(readlink -f node_modules/node/bin/node)}
  npm=$(dirname "$(readlink -f "$(command -v npm)")")/..
  mirror=${DEBIAN_MIRROR:-$(grep -rhoE '(https?://[^ ]+/debian)/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)}
  debootstrap --variant=minbase bookworm "$work/root" ${mirror:+"$mirror"} >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
  install -D "$node" "$work/root/usr/local/bin/node"
  mkdir -p "$work/root/usr/local/lib/node_modules"
  cp -a "$(readlink -f "$npm")" "$work/root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/root/usr/local/bin/npx"
  rm -rf "$work/root"/var/cache/apt/archives/*.deb "$work/root"/var/lib/apt/lists/* "$work/root"/usr/share/{doc,man,locale}
  changes=()
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$work/root/etc/ssl/certs/extra-ca.pem"
    changes=(-c 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra-ca.pem')
  fi
  # The registry that this machine's npm is told to use, without its credentials.
  printf 'registry=%s\n' "$(npm config get registry)" >"$work/root/usr/local/lib/node_modules/npm/npmrc"
  tar -C "$work/root" -c . | docker import "${changes[@]}" - "$NODE_IMAGE" >/dev/null
  echo "$NODE_IMAGE made from $("$node" --version) and Debian's packages"
fi

# An image of one program and the libraries it has, if any.
single() { # <image> <binary> <path in the image> [docker import changes]
  local image=$1 binary root="$work/$3"
  binary=$(readlink -f "$2")
  install -D "$binary" "$root/$3"
  { ldd "$binary" 2>/dev/null || true; } | grep -oE '/[^ ]+' | sort -u | while read -r library; do
    install -D "$(readlink -f "$library")" "$root$library"
  done
  tar -C "$root" -c . | docker import "${@:4}" - "$image" >/dev/null
  echo "$image made from $binary"
}

if have "$NATS_IMAGE"; then
  echo "$NATS_IMAGE is here"
else
  single "$NATS_IMAGE" "${FIRM_NATS_SERVER:-$(command -v nats-server)}" nats-server -c 'ENTRYPOINT ["/nats-server"]' -c 'EXPOSE 4222 8222'
fi

if have "$PROMETHEUS_IMAGE"; then
  echo "$PROMETHEUS_IMAGE is here"
elif command -v prometheus >/dev/null; then
  single "$PROMETHEUS_IMAGE" "$(command -v prometheus)" bin/prometheus \
    -c 'ENTRYPOINT ["/bin/prometheus"]' -c 'EXPOSE 9090' -c 'VOLUME /prometheus' \
    -c 'CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]'
fi
