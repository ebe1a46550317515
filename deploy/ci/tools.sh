#!/usr/bin/env bash
# Brings what the deployment's tests use, as far as this machine allows: a container engine with compose and the image, Prometheus
# with promtool, helm, kustomize and a validator of manifests. Whatever cannot be had is named, and its tests are skipped.
#
#   deploy/ci/tools.sh <directory>    # tools go there; prints `export …` lines for a shell to evaluate, everything else to stderr
#
# Takes nothing away: an engine that it starts has its process id in <directory>/dockerd.pid.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
dir=${1:?directory}
mkdir -p "$dir/bin" "$dir/debs"
bin=$(cd "$dir/bin" && pwd)
dir=$(cd "$dir" && pwd)
log="$dir/tools.log"
note() { printf '%-22s %s\n' "$1" "$2" >&2; }
# Where Go installs itself, it is not always on PATH.
command -v go >/dev/null || PATH="$PATH:/usr/local/go/bin"
is_root() { [ "$(id -u)" = 0 ]; }

# Packages of this machine's own release.
apt_install() { is_root && command -v apt-get >/dev/null && DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -q "$@" >>"$log" 2>&1; }

# One package of a newer Debian, unpacked into a directory: its suite never becomes one of this machine's.
newer_deb() {
  local base state="$dir/debs/apt"
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  base=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ')
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s sid main\n' "${base:-http://deb.debian.org/debian}" >"$state/sources.list"
  local options=(-o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$state" -o "Dir::Cache=$state/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
  [ -e "$state/updated" ] || { timeout 120 apt-get "${options[@]}" -q update >>"$log" 2>&1 && touch "$state/updated"; } || return 1
  (cd "$dir/debs" && timeout 120 apt-get "${options[@]}" download "$1" >>"$log" 2>&1 && dpkg -x "$1"_*.deb "$dir/debs/$1") || return 1
}

go_tool() { # <module>@<version> <name>
  command -v go >/dev/null || return 1
  GOBIN="$bin" GOFLAGS=-buildvcs=false timeout 600 go install "$1" >>"$log" 2>&1
}

engine() {
  command -v dockerd >/dev/null || apt_install docker.io iptables || return 1
  if ! docker info >/dev/null 2>&1; then
    is_root || return 1
    setsid dockerd >"$dir/dockerd.log" 2>&1 </dev/null &
    echo $! >"$dir/dockerd.pid"
    for _ in $(seq 100); do docker info >/dev/null 2>&1 && break; kill -0 "$(cat "$dir/dockerd.pid")" 2>/dev/null || return 1; sleep 0.2; done
    docker info >/dev/null 2>&1 || return 1
  fi
  if ! docker compose version >/dev/null 2>&1; then
    newer_deb docker-compose || return 1
    mkdir -p "${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins"
    cp "$dir/debs/docker-compose/usr/libexec/docker/cli-plugins/docker-compose" "${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins/"
  fi
  docker compose version >/dev/null 2>&1
}

image() {
  local missing=""
  for base in node:24-bookworm-slim nats:2.12 prom/prometheus:v3.5.0; do
    docker image inspect "$base" >/dev/null 2>&1 || timeout 60 docker pull -q "$base" >>"$log" 2>&1 || missing="$missing $base"
  done
  if [ -n "$missing" ]; then
    command -v debootstrap >/dev/null || apt_install debootstrap || return 1
    local server=${FIRM_NATS_SERVER:-$(command -v nats-server || true)}
    if [ -z "$server" ]; then newer_deb nats-server || return 1; server="$dir/debs/nats-server/usr/sbin/nats-server"; fi
    FIRM_NATS_SERVER=$server deploy/airgap/base-images.sh >&2 || return 1
  fi
  for target in firm firm-test; do
    DOCKER_BUILDKIT=0 timeout 900 docker build -q -f deploy/docker/Dockerfile --target "$target" -t "$target:latest" . >>"$log" 2>&1 || return 1
  done
}

if command -v promtool >/dev/null && command -v prometheus >/dev/null; then
  note prometheus "$(command -v prometheus)"
elif newer_deb prometheus && newer_deb promtool; then
  ln -sf "$dir/debs/prometheus/usr/bin/prometheus" "$dir/debs/promtool/usr/bin/promtool" "$bin/"
  note prometheus "$("$bin/prometheus" --version 2>&1 | head -1)"
else
  note prometheus none
fi

if engine; then
  note engine "$(docker version --format '{{.Server.Version}}'), compose $(docker compose version --short)"
  if PATH="$bin:$PATH" image; then note image "firm:latest, $(docker image inspect firm:latest --format '{{.Size}}' | awk '{printf "%.0f MB", $1/1e6}')"; else note image "cannot be built: $(tail -1 "$log")"; fi
else
  note engine "none: $(tail -1 "$log" 2>/dev/null)"
fi

command -v helm >/dev/null || go_tool helm.sh/helm/v3/cmd/helm@v3.22.0
PATH="$bin:$PATH" command -v helm >/dev/null && note helm "$(PATH="$bin:$PATH" helm version --short 2>/dev/null)" || note helm none
command -v kustomize >/dev/null || go_tool sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
PATH="$bin:$PATH" command -v kustomize >/dev/null && note kustomize "$(PATH="$bin:$PATH" kustomize version 2>/dev/null)" || note kustomize none
if ! command -v kubernetes-validate >/dev/null; then
  if command -v python3 >/dev/null && python3 -m venv "$dir/python" >>"$log" 2>&1 && "$dir/python/bin/pip" install -q kubernetes-validate==1.37.0 >>"$log" 2>&1; then
    ln -sf "$dir/python/bin/kubernetes-validate" "$bin/"
  fi
fi
PATH="$bin:$PATH" command -v kubernetes-validate >/dev/null && note kubernetes-validate "$(PATH="$bin:$PATH" kubernetes-validate --version 2>&1 | tail -1)" || note kubernetes-validate none

printf 'export PATH=%q:"$PATH"\n' "$bin"
